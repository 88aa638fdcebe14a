// SPDX-License-Identifier: MIT
import { THREE } from '../space.js';
import { Rubbed } from './rub.js';

const WIDTH = 0.42, HEIGHT = 1.0, SWING = 0.55;  // a shutter [m]; turn per metre of the hinge's way [rad]

const plank = (geometry, material, x, y, z) => {
    const mesh = new THREE.Mesh(geometry, material);
    mesh.position.set(x, y, z);
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
};

// a shutter of boards, hung at x = 0 and reaching to +x
function shutter(side) {
    const group = new THREE.Group(), tones = [0x8c5a33, 0x7d4f2c, 0x95633a, 0x84542f];
    const board = new THREE.BoxGeometry(WIDTH / 4 - 0.004, HEIGHT, 0.03), brace = new THREE.BoxGeometry(WIDTH - 0.03, 0.07, 0.018);
    for (let i = 0; i < 4; i++)
        group.add(plank(board, new THREE.MeshStandardMaterial({ color: tones[i], roughness: 0.75 }), side * (i + 0.5) * WIDTH / 4, HEIGHT / 2, 0));
    const dark = new THREE.MeshStandardMaterial({ color: 0x63401f, roughness: 0.8 });
    for (const y of [0.15, 0.85]) group.add(plank(brace, dark, side * WIDTH / 2, y * HEIGHT, 0.022));
    const iron = new THREE.MeshStandardMaterial({ color: 0x3a3f46, metalness: 0.85, roughness: 0.45 });
    for (const y of [0.15, 0.85]) {
        group.add(plank(new THREE.BoxGeometry(0.16, 0.022, 0.006), iron, side * 0.08, y * HEIGHT, 0.034));
        group.add(plank(new THREE.CylinderGeometry(0.012, 0.012, 0.06, 20), iron, 0, y * HEIGHT, 0.03));
    }
    group.add(plank(new THREE.TorusGeometry(0.024, 0.005, 10, 28), iron, side * (WIDTH - 0.05), HEIGHT * 0.5, 0.03));
    return group;
}

class Door extends Rubbed {
    build() {
        const { space } = this;
        space.floor(0, 6);
        space.look({ at: [0, 0.6, 0], turn: 0.12, tilt: 0.16, distance: 2.7, free: false, light: 1.2, aside: 0.1, wide: 0.95 });
        const stone = new THREE.MeshStandardMaterial({ color: 0x8d8f94, roughness: 0.95 });
        const frame = [[0.08, 1.12, -WIDTH - 0.05, 0.56], [0.08, 1.12, WIDTH + 0.05, 0.56]].map(([w, h, x, y]) =>
            plank(new THREE.BoxGeometry(w, h, 0.12), stone, x, y, -0.01));
        frame.push(plank(new THREE.BoxGeometry(2 * WIDTH + 0.26, 0.1, 0.14), stone, 0, 1.09, -0.01));
        this.shutters = [1, -1].map((side) => {
            const one = shutter(side);
            one.position.x = -side * WIDTH;
            return one;
        });
        const glow = new THREE.Mesh(new THREE.PlaneGeometry(2 * WIDTH, 1.05), new THREE.MeshBasicMaterial({ color: 0x1b2130 }));
        glow.position.set(0, 0.52, -0.07);
        space.scene.add(glow, ...frame, ...this.shutters);
    }

    // shutters swing to and fro, since hinges may go on turning
    animate({ pairs }) {
        pairs.forEach(({ place }, k) => {
            const way = SWING * place, fold = Math.abs(((way / 1.5 + 1) % 2 + 2) % 2 - 1) * 1.5;
            this.shutters[k].rotation.y = (k ? 1 : -1) * (1.5 - fold);
            if (!Number.isFinite(place)) this.shutters[k].rotation.y = 0;
        });
    }
}

export default {
    id: 'door',
    title: 'Squeaky door',
    engine: 'door',
    tagline: 'Two shutters on dry hinges. Push slowly.',
    begin: [0.74, 0.45],
    hint: 'Press and drag: right pushes harder, up makes the hinges tighter',
    keys: 'Keys: space touches, arrows push and press.',
    about: 'Each shutter is a hinge that rubs on a pin with two modes: the third example of Avanzini, Serafin and Rocchesso (2005). '
        + 'Slide from stuck into motion and back for squeaks that glide.',
    presets: [
        { name: 'Old door', values: {} },
        { name: 'Haunted', values: { pitch: 0.55, ring: 2, stribeck: 0.25, stiffness: 2e4 } },
        { name: 'Oiled', values: { static: 0.12, dynamic: 0.1, noise: 0.02 } },
        { name: 'Cupboard', values: { pitch: 2.2, ring: 0.6, damping: 1.2 } },
        { name: 'Rusty gate', values: { noise: 0.12, ring: 3, stiffness: 1.2e5, static: 0.9 } },
    ],
    View: Door,
};
