// SPDX-License-Identifier: MIT
// A render of `twang render`, film without a film: scene.glb and the sound beside it, in step.
import { THREE } from '../space.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

const LARGEST = 400;  // of a file [MB]; what is in it takes several times the memory
const GROUND = 20;    // things larger than this are not what one looks at [m]
const DECODE_RATE = 48000;

function element(name, properties, ...children) {
    const made = Object.assign(document.createElement(name), properties);
    made.append(...children);
    return made;
}

class Render {
    constructor(hand) {
        Object.assign(this, hand);
        this.files = {};
        this.from = 0;  // where in the clip it stands [s]
        this.zone = element('div', { className: 'drop' });
        this.stage.append(this.zone);
        this.controls();
        this.space.look({ at: [0, 0, 0], distance: 1 });
    }

    close() {
        this.stop();
        this.closed = true;
        this.zone.remove();
    }

    controls() {
        const input = element('input', { type: 'file', multiple: true, accept: '.glb,.wav', className: 'sr', tabIndex: -1 });
        input.setAttribute('aria-label', 'Files to show');
        input.onchange = () => this.take([...input.files]);
        this.button = element('button', { hidden: true, onclick: () => this.toggle() }, 'Play');
        this.seek = element('input', { type: 'range', min: 0, max: 1, step: 0.001, value: 0, hidden: true });
        this.seek.setAttribute('aria-label', 'Time');
        this.seek.oninput = () => this.jump(this.seek.value * this.length);
        this.extra.replaceChildren(
            element('div', { className: 'row' },
                element('button', { id: 'example', onclick: () => this.takeExample() }, 'Show an example'),
                element('button', { onclick: () => input.click() }, 'Choose files'), input, this.button),
            this.seek);
    }

    // ---- files ----

    async takeExample() {
        const { glb, wav } = await this.example();
        await this.load(glb, wav);
    }

    async take(files) {
        for (const file of files) {
            const complaint = await this.read(file);
            if (complaint) return this.toast(`${file.name} ${complaint}`);
        }
        const { glb, wav } = this.files;
        if (glb) await this.load(glb, wav);
        else if (wav) this.toast('Now the .glb beside it');
    }

    // @return what is wrong with it, or nothing
    async read(file) {
        const kind = file.name.toLowerCase().match(/\.(glb|wav)$/)?.[1];
        if (!kind) return 'is neither a .glb nor a .wav';
        if (file.size === 0) return 'is empty';
        if (file.size > 1e6 * LARGEST) return `is larger than ${LARGEST} MB`;
        try {
            this.files[kind] = await file.arrayBuffer();
        } catch (error) { return `cannot be read: ${error.message}`; }
        return '';
    }

    async load(glb, wav) {
        this.stop();
        let gltf;
        try {
            gltf = await new GLTFLoader().parseAsync(glb.slice(0), '');
        } catch (error) {
            this.files.glb = null;
            return this.toast(`This is no readable .glb: ${error.message}`);
        }
        const buffer = wav && await this.decode(wav);
        if (this.closed) return;
        this.buffer = buffer;
        this.show(gltf);
        this.length = Math.max(this.clips, this.buffer?.duration ?? 0) || 1;
        this.button.hidden = this.seek.hidden = false;
        this.zone.hidden = true;
        this.used();
        this.from = 0;
        this.play();
    }

    // without a device, too
    async decode(wav) {
        try {
            return await new OfflineAudioContext(2, 1, DECODE_RATE).decodeAudioData(wav.slice(0));
        } catch {
            this.files.wav = null;
            this.toast('The .wav cannot be read; the picture goes on without');
            return null;
        }
    }

    show(gltf) {
        if (this.root) this.space.scene.remove(this.root);
        this.root = gltf.scene;
        this.root.traverse((thing) => { if (thing.isMesh) { thing.castShadow = thing.receiveShadow = true; thing.frustumCulled = false; } });
        this.space.scene.add(this.root);
        this.mixer = new THREE.AnimationMixer(this.root);
        this.actions = gltf.animations.map((clip) => this.mixer.clipAction(clip).setLoop(THREE.LoopOnce).play());
        for (const action of this.actions) action.clampWhenFinished = true;
        this.clips = Math.max(0, ...gltf.animations.map((clip) => clip.duration));
        this.aim();
    }

    // the camera sees everything but the ground, of which only shadows are drawn
    aim() {
        this.pose(0);
        this.root.updateMatrixWorld(true);
        const box = new THREE.Box3(), sizeOf = (own) => own.getSize(new THREE.Vector3()).length();
        this.root.traverse((thing) => {
            const own = thing.isMesh ? new THREE.Box3().setFromObject(thing) : null;
            if (own && sizeOf(own) < GROUND) box.union(own);
            else if (own) thing.material = new THREE.ShadowMaterial({ opacity: 0.32 });
        });
        if (box.isEmpty()) box.setFromObject(this.root);
        if (box.isEmpty()) box.setFromCenterAndSize(new THREE.Vector3(), new THREE.Vector3(1, 1, 1));
        const size = Math.max(sizeOf(box), 1e-3);
        this.space.look({ at: box.getCenter(new THREE.Vector3()).toArray(), turn: 0.5, tilt: 0.3, distance: 1.7 * size, light: size });
    }

    // actions that are over must be told to begin again
    pose(time) {
        for (const action of this.actions) Object.assign(action, { paused: false, enabled: true });
        this.mixer.setTime(Math.min(Math.max(time, 0), this.clips));
    }

    // ---- time: the sound's clock rules, if there is sound ----

    begun() { if (this.playing) this.play(); }

    now() { return this.playing ? Math.min(this.from + this.clock() - this.start, this.length) : this.from; }
    play() {
        this.stop();
        if (this.from >= this.length - 0.01) this.from = 0;
        const { context, state } = this.sound, sounds = state === 'running';
        this.clock = sounds ? () => context.currentTime : () => performance.now() / 1000;
        this.playing = true;
        this.start = this.clock();
        this.button.textContent = 'Pause';
        if (!sounds || !this.buffer || this.from >= this.buffer.duration) return;
        this.source = new AudioBufferSourceNode(context, { buffer: this.buffer });
        this.source.connect(this.sound.mix);
        this.source.start(this.start, this.from);
    }
    stop() {
        this.from = this.now();
        this.playing = false;
        this.source?.stop();
        this.source = null;
        this.button.textContent = 'Play';
    }
    toggle() { if (this.playing) this.stop(); else this.play(); }
    jump(time) {
        const again = this.playing;
        this.stop();
        this.from = time;
        if (again) this.play();
    }
    key(name, down) {
        if (name === 'space' && down && this.mixer) this.toggle();
        return name === 'space';
    }
    down() { return false; }

    frame() {
        if (!this.mixer) return;
        // what is heard now left the page a little earlier
        const time = this.now(), late = this.source ? this.sound.context.outputLatency || 0 : 0;
        this.pose(time - late);
        this.seek.value = time / this.length;
        this.ink.write(`${time.toFixed(2)} s of ${this.length.toFixed(2)} s`, 18, this.ink.height - 18, { colour: this.ink.colour.soft });
        if (this.playing && time >= this.length) this.stop();
    }
}

export default {
    id: 'render',
    title: 'Your render',
    tagline: 'What twang render makes, in step: picture and sound.',
    hint: 'Drop a scene.glb and its .wav anywhere, or show the example',
    keys: 'Keys: space plays and pauses.',
    about: 'Make one: <code>twang render scenes/dominoes.yaml</code>. Then drop <code>scene.glb</code> and <code>ear.wav</code> from '
        + '<code>out/dominoes</code> anywhere on this page. Nothing leaves it: the files are read here. Drag to turn, wheel or two fingers to come nearer.',
    View: Render,
};
