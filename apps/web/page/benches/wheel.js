// SPDX-License-Identifier: MIT
import { THREE } from '../space.js';
import { Rubbed } from './rub.js';

const RADIUS = 0.15, TRACK = 0.9;

class Wheel extends Rubbed {
    build() {
        const { space } = this, { scene } = space;
        space.floor(-0.02, 8);
        space.look({ at: [0, 0.06, 0], turn: 0.5, tilt: 0.5, distance: 3.2, free: false, light: 1.3, aside: 0.1 });
        const steel = new THREE.MeshStandardMaterial({ color: 0xaab3bf, metalness: 0.95, roughness: 0.28 });
        const wood = new THREE.MeshStandardMaterial({ color: 0x5b4532, roughness: 0.9 });
        // a circular track on sleepers
        const rail = new THREE.Mesh(new THREE.TorusGeometry(TRACK, 0.016, 12, 140), steel);
        rail.rotation.x = Math.PI / 2;
        rail.position.y = -0.004;
        rail.castShadow = rail.receiveShadow = true;
        scene.add(rail);
        for (let i = 0; i < 36; i++) {
            const sleeper = new THREE.Mesh(new THREE.BoxGeometry(0.2, 0.012, 0.05), wood), angle = i / 36 * 2 * Math.PI;
            sleeper.position.set(TRACK * Math.cos(angle), -0.016, TRACK * Math.sin(angle));
            sleeper.rotation.y = -angle;
            sleeper.receiveShadow = true;
            scene.add(sleeper);
        }
        this.cart = new THREE.Group();
        this.wheel = new THREE.Group();
        const rim = new THREE.Mesh(new THREE.TorusGeometry(RADIUS - 0.018, 0.018, 16, 64), steel);
        const hub = new THREE.Mesh(new THREE.CylinderGeometry(0.022, 0.022, 0.05, 24), steel);
        hub.rotation.x = Math.PI / 2;
        this.wheel.add(rim, hub);
        const red = new THREE.MeshStandardMaterial({ color: 0xc2402a, roughness: 0.5 });
        for (let i = 0; i < 8; i++) {
            const spoke = new THREE.Mesh(new THREE.CylinderGeometry(0.0055, 0.0055, RADIUS - 0.03, 10), i ? steel : red);
            spoke.position.set(Math.sin(i * Math.PI / 4) * RADIUS / 2, Math.cos(i * Math.PI / 4) * RADIUS / 2, 0);
            spoke.rotation.z = -i * Math.PI / 4;
            this.wheel.add(spoke);
        }
        this.wheel.position.y = RADIUS + 0.01;
        this.brake = new THREE.Mesh(new THREE.BoxGeometry(0.06, 0.03, 0.05), new THREE.MeshStandardMaterial({ color: 0x2b2d31, roughness: 0.7 }));
        const arm = new THREE.Mesh(new THREE.BoxGeometry(0.014, 0.014, 0.09), steel);
        arm.position.set(0, RADIUS + 0.01, 0.05);
        this.wheel.traverse((thing) => { thing.castShadow = true; });
        this.brake.castShadow = true;
        this.cart.add(this.wheel, this.brake, arm);
        scene.add(this.cart);
        this.sparks = new THREE.Points(new THREE.BufferGeometry(), new THREE.PointsMaterial({ color: 0xffc36b, size: 0.018, transparent: true }));
        this.sparks.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(3 * 60), 3));
        this.sparks.frustumCulled = false;
        this.flying = [];
        scene.add(this.sparks);
    }

    get second() { return 'brake'; }
    get free() { return 0.14; }

    animate({ pairs, angle }, seconds) {
        const pair = pairs[0], way = (pair?.place ?? 0) / TRACK, press = pair?.normal ?? 0;
        this.cart.position.set(TRACK * Math.cos(way), 0, -TRACK * Math.sin(way));
        this.cart.rotation.y = way + Math.PI / 2;
        this.wheel.rotation.z = -angle;
        this.brake.position.set(0, 2 * RADIUS + 0.032 + (press > 0.02 ? 0 : 0.03), 0);
        this.throwSparks(pair, seconds);
    }

    // what slides hard throws sparks
    throwSparks(pair, seconds) {
        const power = pair ? Math.abs(pair.slip * pair.friction) : 0, { position } = this.cart;
        if (!this.still && power > 0.8)
            for (let i = 0; i < Math.min(power / 2, 3) && this.flying.length < 60; i++)
                this.flying.push({ at: [position.x, 0.01, position.z], v: [Math.random() - 0.5, 0.6 * Math.random(), Math.random() - 0.5], left: 0.35 });
        const { array } = this.sparks.geometry.attributes.position;
        array.fill(-9);
        this.flying = this.flying.filter((s) => (s.left -= seconds) > 0);
        this.flying.forEach((s, i) => {
            s.v[1] -= 3 * seconds;
            s.at = s.at.map((x, k) => x + s.v[k] * seconds);
            array.set(s.at, 3 * i);
        });
        this.sparks.geometry.attributes.position.needsUpdate = true;
    }
}

export default {
    id: 'wheel',
    title: 'Braking wheel',
    engine: 'wheel',
    tagline: 'Let it roll, then pull the brake: it squeals as it comes to rest.',
    begin: [0.82, 0.07],
    hint: 'Hold low and to the right to roll, then move up to brake',
    keys: 'Keys: space touches, arrows push and brake.',
    about: 'Without normal force the wheel rolls, by micro-impacts on a rough rail; with it the wheel is blocked, slides, and sticks and slips at the end '
        + '(Avanzini, Serafin and Rocchesso 2005; rolling after Rath and Rocchesso 2005).',
    presets: [
        { name: 'Railway', values: {} },
        { name: 'Bicycle', values: { pitch: 1.7, stiffness: 8e4, press: 6 } },
        { name: 'Freight train', values: { pitch: 0.4, ring: 2.5, stiffness: 5e5, press: 20, push: 8 } },
        { name: 'Wet', values: { static: 0.25, dynamic: 0.15, noise: 0.08 } },
    ],
    View: Wheel,
};
