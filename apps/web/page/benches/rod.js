// SPDX-License-Identifier: MIT
import { THREE } from '../space.js';
import { spell } from '../sliders.js';

const VIEW = 0.2;  // a rod is drawn as long as this [m], whatever its length
const POINTS = 12;  // of a rod, see apps/web/rod.c
const BENDS = { arrowup: 0.2, arrowdown: -0.2 };  // how far arrows bend it, of its length
const TURNS = 40, COIL = 0.028, SPAN = 0.5;  // of the slinky that stands for the wire

// ---- a rod: bent, plucked, struck ----

class Rod {
    constructor(hand, variant) {
        Object.assign(this, hand);
        this.points = null;
        const { space } = this, { scene } = space;
        space.floor(-0.001);
        space.look({ at: [0.1, 0.03, 0], turn: 0, tilt: 0.22, distance: 0.5, free: false, light: 0.3 });
        this.material = new THREE.MeshStandardMaterial({ color: 0xc9d0d8, metalness: 0.9, roughness: 0.28 });
        this.mesh = new THREE.Mesh(new THREE.BufferGeometry(), this.material);
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        const wood = new THREE.MeshStandardMaterial({ color: 0x7a5230, roughness: 0.7 });
        this.blocks = [0, 1].map(() => {
            const block = new THREE.Mesh(new THREE.BoxGeometry(0.05, 0.05, 0.07), wood);
            block.castShadow = block.receiveShadow = true;
            scene.add(block);
            return block;
        });
        scene.add(this.mesh);
        this.shape();
    }

    get last() { return this.points.length - (this.value('ends') > 0.5 ? 3 : 1); }  // point that hands reach
    get scale() { return VIEW / this.value('length'); }

    // where it is held, and what it is made of
    shape() {
        this.height = 0.045;
        this.blocks[0].position.set(-0.025, this.height - 0.02, 0);
        this.blocks[1].position.set(VIEW + 0.025, this.height - 0.02, 0);
        this.blocks[1].visible = this.value('ends') > 0.5;
        const young = this.value('young');
        this.material.color.set(young > 4e10 ? 0xc9d0d8 : young > 5e9 ? 0xb98a52 : young > 1e8 ? 0xd95f43 : 0x3c4048);
        this.material.metalness = young > 4e10 ? 0.9 : 0;
        if (!this.picked) this.rest();
    }
    rest() {
        const length = this.value('length');
        this.points = Array.from({ length: POINTS }, (_, i) => [length * i / (POINTS - 1), 0, 0]);
        this.build();
    }
    changed() { this.picked = false; this.shape(); }

    // the rod's x, y, z [m] and the page's
    toPage([x, y, z]) { return new THREE.Vector3(x * this.scale, z * this.scale + this.height, -y * this.scale); }
    toRod({ x, y, z }) { return [x / this.scale, -z / this.scale, (y - this.height) / this.scale]; }

    picture(data) {
        this.held = data[0];
        this.force = data[1];
        this.energy = data[2];
        this.points = [];
        for (let i = 3; i + 2 < data.length; i += 3) this.points.push([data[i], data[i + 1], data[i + 2]]);
        this.picked = true;
        this.build();
    }

    // a flat strip along a smooth curve
    build() {
        const curve = new THREE.CatmullRomCurve3(this.points.map((p) => this.toPage(p)));
        const rows = 60, wide = Math.max(this.value('width') * this.scale, 0.002) / 2, thick = Math.max(this.value('thickness') * this.scale, 0.0012) / 2;
        const positions = [], index = [], side = new THREE.Vector3(0, 0, 1);
        for (let i = 0; i <= rows; i++) {
            const at = curve.getPoint(i / rows), along = curve.getTangent(i / rows), up = new THREE.Vector3().crossVectors(side, along).normalize();
            for (const [w, t] of [[-1, 1], [1, 1], [1, -1], [-1, -1]])
                positions.push(at.x + up.x * t * thick, at.y + up.y * t * thick, at.z + w * wide + up.z * t * thick);
            if (i === rows) continue;
            for (let k = 0; k < 4; k++) {
                const a = 4 * i + k, b = 4 * i + (k + 1) % 4;
                index.push(a, b, a + 4, b, b + 4, a + 4);
            }
        }
        const { geometry } = this.mesh;
        if (!geometry.index) geometry.setIndex(index);
        geometry.setAttribute('position', new THREE.Float32BufferAttribute(positions, 3));
        geometry.computeVertexNormals();
        geometry.boundingSphere = null;
    }

    // ---- hands: pressed near the rod they draw it, far from it they strike the nearest point ----

    nearest(p) {
        let best = { gap: Infinity };
        for (let i = 2; i <= this.last; i++) {
            const [x, y] = this.space.screen(this.toPage(this.points[i]));
            const gap = Math.hypot(x - p.x * this.ink.width, y - (1 - p.y) * this.ink.height);
            if (gap < best.gap) best = { gap, point: i };
        }
        return best;
    }
    // where the pointer is in the plane of the rod
    place(p) {
        const ray = this.space.ray(p.x, p.y).ray, at = new THREE.Vector3();
        ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), at);
        return this.toRod(at).map((x, k) => Math.min(Math.max(x, -0.3 * this.value('length')), (k ? 0.6 : 1.1) * this.value('length')));
    }
    down(p) {
        const { point } = this.nearest(p);
        this.grabbed = { point, from: p, time: performance.now() };
        this.act('down', point, ...this.rodPlace(point));
    }
    rodPlace(point) { return this.points[point]; }
    move(p) {
        if (!this.grabbed) return;
        this.grabbed.moved = true;
        this.act('move', ...this.place(p));
    }
    up() {
        if (!this.grabbed) return;
        this.act('up');
        if (!this.grabbed.moved) this.tap(this.grabbed.point);
        this.grabbed = null;
    }
    // a blow as strong as the rod is
    tap(point) {
        const [l, t, w, young, rho] = ['length', 'thickness', 'width', 'young', 'density'].map((name) => this.value(name));
        const mass = rho * t * w * l, speed = 0.004 * l * Math.sqrt(young * t * t / (12 * rho)) * 12.4 / l ** 2 + 0.3;
        this.act('hit', point, 0, 0, -Math.min(mass * speed / 2e-4, 400));
    }
    key(name, down) {
        const at = 'asdfghjkl'.indexOf(name);
        if (at >= 0 && down) this.tap(Math.round(2 + at * (this.last - 2) / 8));
        if (name === 'space' && down) this.tap(this.points.length - 3);
        if (name in BENDS) this.bend(name, down);
        return at >= 0 || name === 'space' || name in BENDS;
    }
    // drawn up or down as long as the key is held, then let go
    bend(name, down) {
        if (!down) return this.up();
        if (this.grabbed) return;
        const point = this.value('ends') > 0.5 ? Math.floor(this.points.length / 2) : this.points.length - 2, [x, y, z] = this.points[point];
        this.grabbed = { point, moved: true };
        this.act('down', point, x, y, z);
        this.act('move', x, y, z + BENDS[name] * this.value('length'));
    }

    frame() {
        const { ink } = this;
        if (this.grabbed && this.points) {
            const [x, y] = this.space.screen(this.toPage(this.points[this.grabbed.point]));
            ink.disc(x, y, 8, ink.colour.accent);
            if (this.held >= 0) ink.write(`${spell(this.force, 'N')}`, x + 14, y - 8, { colour: ink.colour.text });
        }
        if (this.energy > 0) ink.write(`energy ${spell(this.energy, 'J')}`, 18, ink.height - 18, { colour: ink.colour.soft });
    }
}

// ---- a long wire, as a slinky between two hands ----

class Wire {
    constructor(hand) {
        Object.assign(this, hand);
        const { space } = this, { scene } = space;
        space.floor(-0.1);
        space.look({ at: [0, -0.005, 0], turn: 0.15, tilt: 0.25, distance: 0.92, free: false, light: 0.45 });
        this.moved = new Float32Array(48);
        this.line = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshStandardMaterial({ color: 0xb9c2cc, metalness: 1, roughness: 0.22, side: THREE.DoubleSide }));
        this.line.castShadow = true;
        scene.add(this.line);
        const wood = new THREE.MeshStandardMaterial({ color: 0x7a5230, roughness: 0.7 });
        for (const side of [-1, 1]) {
            const post = new THREE.Mesh(new THREE.BoxGeometry(0.02, 0.17, 0.09), wood);
            post.position.set(side * (SPAN / 2 + 0.012), -0.02, 0);
            post.castShadow = true;
            scene.add(post);
        }
        this.ear = new THREE.Mesh(new THREE.ConeGeometry(0.012, 0.03, 24), new THREE.MeshStandardMaterial({ color: 0xf5a742, roughness: 0.4 }));
        this.ear.rotation.x = Math.PI;
        scene.add(this.ear);
        this.rings = [];
        this.larger = 0;
        this.build();
    }

    picture(data) {
        this.modes = data[0];
        this.moved = data.subarray(1);
    }

    // each place along the wire is a place on the coil; it is moved along the axis of the coil and outwards
    build() {
        const steps = TURNS * 24, most = this.moved.reduce((a, b) => Math.max(a, Math.abs(b)), 1e-9);
        if (most * this.larger > 0.03 || this.fresh) { this.larger = 0.03 / most; this.fresh = false; }
        const positions = new Float32Array(6 * (steps + 1)), index = [], half = 0.0016;
        for (let i = 0; i <= steps; i++) {
            const s = i / steps, at = s * 47, k = Math.min(Math.floor(at), 46), d = (this.moved[k] * (k + 1 - at) + this.moved[k + 1] * (at - k)) * this.larger;
            const turn = 2 * Math.PI * TURNS * s, radius = COIL + 0.5 * d, x = (s - 0.5) * SPAN + 0.35 * d;
            positions.set([x - half, radius * Math.sin(turn), radius * Math.cos(turn), x + half, radius * Math.sin(turn), radius * Math.cos(turn)], 6 * i);
            if (i < steps) index.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2);
        }
        const { geometry } = this.line;
        if (!geometry.index) geometry.setIndex(index);
        geometry.setAttribute('position', new THREE.BufferAttribute(positions, 3));
        geometry.computeVertexNormals();
        geometry.boundingSphere = null;
    }

    where(p) {
        const ray = this.space.ray(p.x, p.y).ray, at = new THREE.Vector3();
        ray.intersectPlane(new THREE.Plane(new THREE.Vector3(0, 0, 1), 0), at);
        return Math.min(Math.max(at.x / SPAN + 0.5, 0), 1);
    }
    strike(place, speed) {
        this.act('hit', place, speed);
        this.fresh = true;
        const [x, y] = this.space.screen(new THREE.Vector3((place - 0.5) * SPAN, COIL, 0));
        this.rings.push({ x, y, age: 0 });
    }
    down(p) { this.last = p; this.strike(this.where(p), 2); }
    move(p) {
        if (Math.abs(p.x - this.last.x) < 0.05) return;
        this.last = p;
        this.strike(this.where(p), 1);
    }
    key(name, down) {
        const at = 'asdfghjkl'.indexOf(name);
        if (down && at >= 0) this.strike((at + 0.5) / 9, 2);
        if (down && name === 'space') this.strike(0.03, 2);
        return at >= 0 || name === 'space';
    }

    frame(seconds) {
        this.build();
        const { ink } = this, place = this.value('ear');
        this.ear.position.set((place - 0.5) * SPAN, COIL + 0.03, 0);
        this.rings = this.rings.filter((ring) => (ring.age += seconds) < 0.5);
        for (const { x, y, age } of this.rings) {
            ink.pen.globalAlpha = 1 - 2 * age;
            ink.disc(x, y, 6 + 20 * age, ink.colour.accent);
            ink.pen.globalAlpha = 1;
        }
        if (this.modes) ink.write(`${this.modes} modes sound; the first 64 are drawn`, 18, ink.height - 18, { colour: ink.colour.soft });
    }
}

const rodPresets = [
    { name: 'Kalimba', values: {} },
    { name: 'Ruler', values: { length: 0.22, width: 0.025, thickness: 0.0012, damping: 4 } },
    { name: 'Rubber strip', values: { young: 3e7, density: 1000, thickness: 0.006, damping: 8, loss: 0.08, length: 0.1, width: 0.02 } },
    { name: 'Wooden tongue', values: { young: 1.1e10, density: 650, thickness: 0.004, width: 0.02, length: 0.09, damping: 10, loss: 0.014 } },
    { name: 'Held at both ends', values: { ends: 1, length: 0.2, thickness: 0.0015 } },
    { name: 'Tight string', values: { ends: 1, length: 0.6, thickness: 0.0005, width: 0.0005, tension: 30, damping: 0.7 } },
];

export default {
    id: 'rod',
    title: 'Rod',
    tagline: 'Bend it as far as you like, let go, and it sounds as it moves.',
    begin: [0.7, 0.55],
    hint: 'Drag the rod and let go, or tap it',
    keys: 'Keys: A to L and space strike, arrows up and down bend the rod.',
    about: 'A discrete elastic rod after Schweickart, James and Marschner (2017), stepped 24,000 times a second, heard as the dipoles it is made of. '
        + 'It may bend as far as it likes.',
    variants: [
        { name: 'Rod', engine: 'rod', View: Rod, choices: { ends: ['one end', 'both ends'] }, presets: rodPresets },
        { name: 'Slinky', title: 'Slinky', engine: 'wire', View: Wire, tagline: 'A tap arrives as a chirp: high waves run ahead of low ones.',
            begin: [0.3, 0.52], hint: 'Tap the slinky anywhere, best far from the ear', keys: 'Keys: A to L and space tap it.',
            about: 'All bending modes of a long wire, as many as a thousand, each exact. Its turns are much wider than it is thick, so waves run as on a '
                + 'straight wire; tension makes it a string. The cone is the ear.',
            presets: [
            { name: 'Slinky', values: {} },
            { name: 'Long slinky', values: { length: 16, thickness: 7e-4 } },
            { name: 'Guy wire', values: { length: 20, thickness: 2e-3, tension: 300, damping: 0.6 } },
            { name: 'Spring reverb', values: { length: 2.5, thickness: 4e-4, damping: 3 } },
        ] },
    ],
    View: class { constructor(hand, variant) { return new variant.View(hand, variant); } },
};
