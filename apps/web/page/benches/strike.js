// SPDX-License-Identifier: MIT
import { THREE } from '../space.js';
import { Body, dress, readModes } from '../modes.js';
import { spell } from '../sliders.js';

const MATERIALS = ['porcelain', 'glass', 'bronze', 'steel', 'aluminium', 'oak', 'ice', 'polystyrene'];
const SPEED = 2, SLOWER = 250, SHOWN = 0.035, KEYS = 'asdfghjkl';  // [m/s]; and how large motion is drawn, of the size
const TURNS = { arrowleft: [-0.04, 0], arrowright: [0.04, 0], arrowup: [0, 0.04], arrowdown: [0, -0.04] };

class Strike {
    constructor(hand, { look }) {
        Object.assign(this, hand);
        this.rings = [];
        this.phase = null;
        this.larger = 0;
        this.make(look);
    }

    async make(look) {
        const { space } = this, material = new THREE.MeshPhysicalMaterial({ side: THREE.DoubleSide });
        dress(material, MATERIALS[Math.round(this.value('material'))]);
        this.material = material;
        const body = new Body(readModes(await this.model()), material);
        if (this.closed) return;
        const box = new THREE.Box3().setFromObject(body.mesh);
        body.group.position.y = -box.min.z + (look.lift ?? 0) * body.size;
        this.body = body;
        space.scene.add(body.group);
        space.floor(0, 30 * body.size);
        body.group.updateMatrixWorld(true);
        space.look({ at: [0, body.group.position.y + body.centre.z, 0], distance: 5 * body.size, light: 2.2 * body.size, wide: 1.1, ...look.camera });
        this.keys = body.spread(KEYS.length);
        this.showSize();
    }
    close() { this.closed = true; }

    // ---- hands ----

    strike(vertex, speed) {
        this.act('hit', vertex, speed);
        const [x, y] = this.space.screen(this.body.placeOf(vertex));
        this.rings.push({ x, y, age: 0 });
        this.fresh = true;
    }
    down(p) {
        const hit = this.body?.pick(this.space.ray(p.x, p.y));
        if (!hit) return false;
        this.last = { ...p, time: performance.now() };
        this.strike(hit.vertex, SPEED);
    }
    // dragged over the body it strikes again and again
    move(p) {
        const now = performance.now();
        if (Math.hypot(p.x - this.last.x, p.y - this.last.y) < 0.035 || now - this.last.time < 60) return;
        const hit = this.body?.pick(this.space.ray(p.x, p.y));
        this.last = { ...p, time: now };
        if (hit) this.strike(hit.vertex, SPEED * 0.6);
    }
    key(name, down) {
        const at = KEYS.indexOf(name);
        if (name === 'space' && down && this.body) this.strike(this.keys[1], SPEED);
        if (at >= 0 && down && this.body) this.strike(this.keys[at], SPEED);
        if (name in TURNS && down) this.space.turn(...TURNS[name]);
        return at >= 0 || name === 'space' || name in TURNS;
    }

    changed(name, value) {
        if (name === 'material') dress(this.material, MATERIALS[Math.round(value)]);
        if (name === 'size') this.showSize();
    }
    // larger bodies look larger, a little
    showSize() { this.body?.mesh.scale.setScalar(this.value('size') ** 0.25); }

    // ---- picture ----

    picture(data) {
        const count = (data.length - 2) / 2;
        this.blow = data[1];
        this.amplitude = data.subarray(2, 2 + count);
        this.freq = data.subarray(2 + count);
        if (!this.body) return;
        let most = 0;
        this.amplitude.forEach((a, k) => { most = Math.max(most, a * this.body.most[k]); });
        // as large as can be seen, and smaller when the next blow is stronger
        if (this.fresh && most > 0) { this.larger = SHOWN * this.body.size / most; this.fresh = false; }
        this.larger = Math.min(this.larger, SHOWN * this.body.size / Math.max(most, 1e-12));
        this.most = most;
    }

    frame(seconds) {
        if (this.body && this.amplitude) this.vibrate(seconds);
        const { ink } = this;
        this.rings = this.rings.filter((ring) => (ring.age += seconds) < 0.5);
        for (const { x, y, age } of this.rings) {
            ink.pen.globalAlpha = 1 - 2 * age;
            ink.ring(x, y, 8 + (this.still ? 0 : 70 * age), ink.colour.accent);
            ink.pen.globalAlpha = 1;
        }
        if (this.blow) this.describe();
    }

    vibrate(seconds) {
        this.phase ??= new Float64Array(this.freq.length);
        const amounts = this.amplitude.length ? Array.from(this.amplitude, (a, k) => {
            this.phase[k] += 2 * Math.PI * Math.min(this.freq[k] / SLOWER, 12) * seconds;
            return this.larger * a * (this.still ? 0 : Math.sin(this.phase[k]));
        }) : [];
        this.body.bend(amounts);
    }

    describe() {
        const { ink } = this, { colour } = ink, y = ink.height - 18;
        const strongest = [...this.amplitude.keys()].filter((k) => this.freq[k] < 20000)
            .sort((a, b) => this.amplitude[b] * this.freq[b] - this.amplitude[a] * this.freq[a]);
        // pairs of modes at one pitch are one
        const pitches = [...new Set(strongest.map((k) => +this.freq[k].toPrecision(3)))].slice(0, 3);
        ink.write(`blow ${spell(this.blow, 'N')}`, 18, y - 38, { colour: colour.soft });
        ink.write(`rings at ${pitches.join(', ')} Hz`, 18, y - 19, { colour: colour.soft });
        ink.write(`drawn ${spell(+this.larger.toPrecision(2))} times larger, and slower`, 18, y, { colour: colour.soft });
    }
}

const one = (name, model, start, look) => ({ name, engine: 'strike', model, start, look, choices: { material: MATERIALS },
    presets: [
        { name: 'As it is', values: start },
        { name: 'Felt', values: { ...start, hardness: 1e6, hammer: 0.03 } },
        { name: 'Nail', values: { ...start, hardness: 3e9, hammer: 0.003 } },
        { name: 'Giant', values: { ...start, size: 3, hammer: 0.1, hardness: 1e7 } },
        { name: 'Wooden', values: { ...start, material: 5 } },
        { name: 'Endless', values: { ...start, ring: 8 } },
    ] });

export default {
    id: 'strike',
    title: 'Strike',
    tagline: 'Where you strike, with what, and what it is made of: you hear it all.',
    begin: [0.5, 0.45],
    hint: 'Strike it anywhere; drag beside it to turn it',
    keys: 'Keys: A to L and space strike, arrows turn it.',
    about: 'Modes by finite elements (<code>twang modes</code>), struck by a hammer through a Hunt-Crossley contact, heard by what each mode radiates. '
        + 'Points where a mode stands still do not ring it.',
    variants: [
        one('Bowl', 'bowl', { material: 2, hardness: 2e7 }, { camera: { tilt: 0.55, turn: 0.3 } }),
        one('Mug', 'mug', { material: 0, hardness: 3e8 }, { camera: { tilt: 0.35, turn: 0.5, distance: 0.36 } }),
        one('Plate', 'plate', { material: 3, hardness: 5e7 }, { lift: 0.15, camera: { tilt: 0.7, turn: 0.35 } }),
        one('Bar', 'bar', { material: 4, hardness: 2e8 }, { lift: 0.15, camera: { tilt: 0.5, turn: 0.45, distance: 0.62 } }),
        one('Figure', 'figure', { material: 2, size: 2, hardness: 2e9, hammer: 0.05 }, { camera: { tilt: 0.25, turn: Math.PI + 0.55 } }),
    ],
    View: Strike,
};
