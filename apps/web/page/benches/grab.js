// SPDX-License-Identifier: MIT
import { THREE } from '../space.js';
import { readModes } from '../modes.js';
import { spell } from '../sliders.js';

const HEAD = 10;  // numbers before the places, see apps/web/grab.c
const REACH = 0.7;
const PULLS = { arrowleft: [-0.03, 0], arrowright: [0.03, 0], arrowup: [0, 0.03], arrowdown: [0, -0.03] };  // of a key [m]

// the world is z up
const toPage = (x, y, z) => new THREE.Vector3(x, z, -y);
const toWorld = ({ x, y, z }) => [x, -z, y].map((c, k) => Math.min(Math.max(c, k === 2 ? -0.05 : -REACH), REACH));

class Grab {
    constructor(hand) {
        Object.assign(this, hand);
        this.make();
        const row = document.createElement('div');
        row.className = 'row';
        for (const [text, act] of [['Poke', () => this.poke()], ['Put back', () => this.act('reset')]]) {
            const button = document.createElement('button');
            button.textContent = text;
            button.onclick = act;
            row.append(button);
        }
        this.extra.replaceChildren(row);
    }

    async make() {
        const { space } = this, set = readModes(await this.model());
        if (this.closed) return;
        this.faces = set.faces;
        const geometry = new THREE.BufferGeometry(), places = new Float32Array(set.vertices.length);
        for (let i = 0; i < places.length; i += 3) places.set([set.vertices[i], set.vertices[i + 2] + 0.026, -set.vertices[i + 1]], i);
        geometry.setAttribute('position', new THREE.BufferAttribute(places, 3));
        geometry.setIndex([...set.faces]);
        geometry.computeVertexNormals();
        this.material = new THREE.MeshPhysicalMaterial({ side: THREE.DoubleSide });
        this.mesh = new THREE.Mesh(geometry, this.material);
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        const board = new THREE.Mesh(new THREE.BoxGeometry(0.5, 0.012, 0.4), new THREE.MeshStandardMaterial({ color: 0xa5753f, roughness: 0.6 }));
        board.receiveShadow = board.castShadow = true;
        space.scene.add(this.mesh, board);
        space.floor(-0.05);
        space.look({ at: [0, 0.1, 0], turn: Math.PI + 0.55, tilt: 0.3, distance: 0.95, light: 0.45 });
        this.dress();
    }
    close() { this.closed = true; }
    changed(name) { if (name === 'young') this.dress(); }

    // what it looks as if it were made of
    dress() {
        if (!this.material) return;
        const young = this.value('young');
        const look = young < 1e6 ? { color: 0xd8334a, roughness: 0.12, transparent: true, opacity: 0.84, clearcoat: 1 }
            : young < 1e9 ? { color: 0x3b74c4, roughness: 0.55 }
                : young < 3e10 ? { color: 0xb98a52, roughness: 0.7 } : { color: 0xb07a3c, metalness: 1, roughness: 0.3 };
        const { color, ...rest } = { metalness: 0, transparent: false, opacity: 1, clearcoat: 0, ...look };
        this.material.color.set(color);
        Object.assign(this.material, rest);
        this.material.needsUpdate = true;
    }

    picture(data) {
        if (!this.mesh) return;
        this.held = data[0] > 0;
        this.force = data[1];
        this.point = toPage(data[2], data[3], data[4]);
        this.target = toPage(data[5], data[6], data[7]);
        this.energy = data[8];
        const { array } = this.mesh.geometry.attributes.position;
        for (let i = 0; i < array.length; i += 3) {
            array[i] = data[HEAD + i];
            array[i + 1] = data[HEAD + i + 2];
            array[i + 2] = -data[HEAD + i + 1];
        }
        this.stale = true;
    }

    pick(p) {
        if (!this.mesh) return null;
        this.mesh.geometry.boundingSphere = null;
        const hit = this.space.ray(p.x, p.y).intersectObject(this.mesh, false)[0];
        if (!hit) return null;
        const corners = [hit.face.a, hit.face.b, hit.face.c], positions = this.mesh.geometry.attributes.position;
        const triangle = corners.map((v) => new THREE.Vector3().fromBufferAttribute(positions, v)), weights = new THREE.Vector3();
        THREE.Triangle.getBarycoord(hit.point, ...triangle, weights);
        return { corners, weights: weights.toArray().map((w) => Math.max(w, 0)), point: hit.point };
    }

    down(p) {
        const hit = this.pick(p);
        if (!hit) return false;
        const facing = this.space.camera.getWorldDirection(new THREE.Vector3()).negate();
        this.plane = new THREE.Plane().setFromNormalAndCoplanarPoint(facing, hit.point);
        this.act('down', ...hit.corners, ...hit.weights);
    }
    move(p) {
        const at = new THREE.Vector3();
        if (!this.plane || !this.space.ray(p.x, p.y).ray.intersectPlane(this.plane, at)) return;
        this.act('move', ...toWorld(at));
    }
    up() { this.act('up'); this.plane = null; }

    poke() {
        const count = this.mesh.geometry.attributes.position.count, vertex = Math.floor(Math.random() * count);
        const mass = 7.8e-4 * this.value('density');
        this.act('hit', vertex, mass * (Math.random() - 0.5), mass * (Math.random() - 0.5), 1.2 * mass);
    }
    key(name, down) {
        if (name === 'space' && down && this.mesh) this.poke();
        if (name === 'backspace' && down) this.act('reset');
        if (name in PULLS && this.mesh) this.pull(name, down);
        return name === 'space' || name === 'backspace' || name in PULLS;
    }
    // by its highest vertex, farther with every press, as long as a key is held
    pull(name, down) {
        if (!down) {
            this.pulling?.keys.delete(name);
            if (this.pulling?.keys.size) return;
            this.pulling = null;
            return this.up();
        }
        if (!this.pulling) {
            const { array } = this.mesh.geometry.attributes.position;
            let top = 0;
            for (let i = 0; i < array.length; i += 3) if (array[i + 1] > array[3 * top + 1]) top = i / 3;
            this.pulling = { keys: new Set(), at: new THREE.Vector3().fromArray(array, 3 * top) };
            this.act('down', top, top, top, 1, 0, 0);
        }
        this.pulling.keys.add(name);
        const across = new THREE.Vector3().setFromMatrixColumn(this.space.camera.matrixWorld, 0), [right, up] = PULLS[name];
        this.pulling.at.addScaledVector(across, right).y += up;
        this.act('move', ...toWorld(this.pulling.at));
    }

    frame() {
        if (this.stale) {
            this.mesh.geometry.attributes.position.needsUpdate = true;
            this.mesh.geometry.computeVertexNormals();
            this.stale = false;
        }
        const { ink } = this;
        if (this.held && this.point) {
            const a = this.space.screen(this.point), b = this.space.screen(this.target);
            ink.line([a, b], ink.colour.accent, 2);
            ink.disc(...a, 6, ink.colour.accent);
            ink.write(spell(this.force, 'N'), a[0] + 12, a[1] - 10);
        }
        if (this.energy !== undefined) ink.write(`moves and bends with ${spell(this.energy, 'J')}`, 18, ink.height - 18, { colour: ink.colour.soft });
    }
}

export default {
    id: 'grab',
    title: 'Grab',
    engine: 'grab',
    model: 'toy+board',
    tagline: 'Take it by any point. Drag it, shake it, throw it on the board.',
    begin: [0.5, 0.5],
    hint: 'Drag the cat by any point and let go; drag beside it to turn the view',
    keys: 'Keys: arrows pull it by its head, space pokes, backspace puts it back.',
    about: 'A body of modes that a spring with a largest force holds where you take it: jelly wobbles, bronze rings, by the same modes at '
        + 'other frequencies. The board sounds too.',
    presets: [
        { name: 'Jelly', values: {} },
        { name: 'Soft rubber', values: { young: 1e6, loss: 0.1, bounce: 0.75 } },
        { name: 'Wood', values: { young: 1e10, loss: 0.02, density: 700 } },
        { name: 'Bronze', values: { young: 1e11, loss: 5e-4, density: 8000, grip: 1000, bounce: 0.4 } },
        { name: 'On the moon', values: { gravity: 1.62, loss: 0.05 } },
        { name: 'In space', values: { gravity: 0, loss: 0.02, bounce: 0.9 } },
    ],
    View: Grab,
};
