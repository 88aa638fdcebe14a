// SPDX-License-Identifier: MIT
import { THREE } from '../space.js';
import { Rubbed } from './rub.js';

const RIM = 0.036, HEIGHT = 0.15, LARGER = 160, TURNS = 96;

// outer and inner wall, from the foot to the rim and back
function profile() {
    const outer = [[0, 0], [0.034, 0.001], [0.033, 0.0035], [0.012, 0.006], [0.0045, 0.012], [0.0036, 0.03], [0.0036, 0.058], [0.006, 0.066],
        [0.02, 0.074], [0.033, 0.089], [0.0395, 0.107], [0.0405, 0.122], [0.0385, 0.138], [RIM, HEIGHT]];
    const curve = new THREE.SplineCurve(outer.map(([x, y]) => new THREE.Vector2(x, y))).getPoints(70);
    const inner = curve.filter(({ y }) => y > 0.073).map(({ x, y }) => new THREE.Vector2(Math.max(x - 0.0013, 0), y)).reverse();
    return [...curve.map((p) => new THREE.Vector2(Math.max(p.x, 0), Math.max(p.y, 0))), ...inner, new THREE.Vector2(0, 0.0735)];
}

// a bent finger whose tip is at the origin, and which reaches up and to +x
function finger() {
    const skin = new THREE.MeshStandardMaterial({ color: 0xd39b78, roughness: 0.6 }), group = new THREE.Group(), radius = 0.007;
    const bones = [[0, radius], [0.002, 0.02], [0.009, 0.038], [0.023, 0.054], [0.042, 0.064]].map(([x, y]) => new THREE.Vector3(x, y, 0));
    const ball = new THREE.SphereGeometry(radius, 24, 16);
    for (const end of [bones[0], bones.at(-1)]) {
        const round = new THREE.Mesh(ball, skin);
        round.position.copy(end);
        group.add(round);
    }
    group.add(new THREE.Mesh(new THREE.TubeGeometry(new THREE.CatmullRomCurve3(bones), 32, radius, 24), skin));
    const nail = new THREE.Mesh(new THREE.SphereGeometry(0.0048, 20, 14), new THREE.MeshStandardMaterial({ color: 0xf3d5c3, roughness: 0.2 }));
    nail.scale.set(0.35, 1.25, 0.95);
    nail.position.set(-0.0055, 0.01, 0);
    group.add(nail);
    group.traverse((thing) => { thing.castShadow = true; });
    return group;
}

class Wineglass extends Rubbed {
    get named() { return 0.3; }

    build() {
        const { space } = this;
        space.floor();
        space.look({ at: [0, 0.099, 0], turn: 0.4, tilt: 0.4, distance: 0.47, free: false, light: 0.2, aside: 0.1, wide: 0.8 });
        const geometry = new THREE.LatheGeometry(profile(), TURNS);
        const material = new THREE.MeshPhysicalMaterial({
            color: 0xcfe2ee, metalness: 0, roughness: 0.03, transparent: true, opacity: 0.42, side: THREE.DoubleSide, clearcoat: 1,
            envMapIntensity: 3.4, depthWrite: false,
        });
        this.glass = new THREE.Mesh(geometry, material);
        this.rest = geometry.attributes.position.array.slice();
        // wine up to a third, inside the inner wall
        const inside = profile().filter(({ x, y }) => y >= 0.0735 && y < 0.098).slice(-24).map(({ x, y }) => new THREE.Vector2(Math.max(x - 0.0008, 0), y + 0.0006));
        inside.sort((a, b) => a.y - b.y);
        const water = new THREE.Mesh(
            new THREE.LatheGeometry([new THREE.Vector2(0, 0.0742), ...inside, new THREE.Vector2(0, inside.at(-1).y)], 64),
            new THREE.MeshPhysicalMaterial({ color: 0x6d0f22, roughness: 0.15, transparent: true, opacity: 0.9, clearcoat: 1 }));
        this.finger = finger();
        space.scene.add(water, this.glass, this.finger);
        this.phase = 0;
    }

    animate({ pairs }, seconds) {
        const pair = pairs[0], place = pair?.place ?? 0, touching = (pair?.normal ?? 0) > 0.01;
        const angle = -place / RIM + 0.9, lift = touching ? 0 : 0.012;
        this.finger.position.set(RIM * Math.cos(angle), HEIGHT + lift, RIM * Math.sin(angle));
        this.finger.rotation.y = -angle;
        this.ringing(pair?.amplitude ?? [0, 0], angle, seconds);
    }

    // the rim bends as an ellipse, and as three petals; slowed down, and much larger than it is
    ringing(amplitude, angle, seconds) {
        this.phase += seconds * 2 * Math.PI * 3;
        const swing = [0, 1].map((k) => Math.min(LARGER * amplitude[k], 0.009) * (this.still ? 1 : Math.cos(this.phase * (k ? 1.7 : 1))));
        if (Math.max(...swing.map(Math.abs)) < 1e-6 && !this.moved) return;
        this.moved = Math.max(...swing.map(Math.abs)) >= 1e-6;
        const positions = this.glass.geometry.attributes.position, { array } = positions, { rest } = this;
        for (let i = 0; i < array.length; i += 3) {
            const [x, y, z] = [rest[i], rest[i + 1], rest[i + 2]], up = Math.max(0, (y - 0.074) / (HEIGHT - 0.074)) ** 2;
            if (up === 0) continue;
            const turn = Math.atan2(z, x) - angle;
            const grow = up * (swing[0] * Math.cos(2 * turn) + swing[1] * Math.cos(3 * turn)) / Math.max(Math.hypot(x, z), 1e-6);
            array[i] = x * (1 + grow);
            array[i + 2] = z * (1 + grow);
        }
        positions.needsUpdate = true;
    }
}

export default {
    id: 'wineglass',
    title: 'Wineglass',
    engine: 'wineglass',
    tagline: 'A moist finger on a crystal rim. It speaks when force and pressure agree.',
    begin: [0.74, 0.4],
    hint: 'Press and drag: right pushes harder, up presses harder',
    keys: 'Keys: space touches, arrows push and press.',
    about: 'Two modes of a real crystal glass, rubbed through elasto-plastic bristles, solved at every audio sample (Avanzini, Serafin and Rocchesso 2005). '
        + 'The rim is drawn 160 times larger than it moves, and slower.',
    presets: [
        { name: 'Crystal', values: {} },
        { name: 'Dry finger', values: { noise: 0.09, static: 0.9, dynamic: 0.35 } },
        { name: 'Great bowl', values: { pitch: 0.45, ring: 2.5, push: 1.6 } },
        { name: 'Thimble', values: { pitch: 2.6, ring: 0.5, stiffness: 2e4 } },
        { name: 'Bowed plate', values: { ring: 0.12, stiffness: 5e4, damping: 4, press: 5, push: 3 } },
    ],
    View: Wineglass,
};
