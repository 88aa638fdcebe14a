// SPDX-License-Identifier: MIT
// A render of `twang render`, film without a film: scene.glb and the sound beside it, in step.
import { THREE } from '../space.js';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';

class Render {
    constructor(hand) {
        Object.assign(this, hand);
        this.files = {};
        this.from = 0;  // where in the clip it stands [s]
        this.zone = document.createElement('div');
        this.zone.className = 'drop';
        this.stage.append(this.zone);
        this.controls();
        this.listeners = {
            dragover: (event) => { event.preventDefault(); this.zone.classList.add('over'); },
            dragleave: () => this.zone.classList.remove('over'),
            drop: (event) => { event.preventDefault(); this.zone.classList.remove('over'); this.take([...event.dataTransfer.files]); },
        };
        for (const [kind, listener] of Object.entries(this.listeners)) this.stage.addEventListener(kind, listener);
        this.space.look({ at: [0, 0, 0], distance: 1 });
    }

    close() {
        this.stop();
        this.zone.remove();
        for (const [kind, listener] of Object.entries(this.listeners)) this.stage.removeEventListener(kind, listener);
    }

    controls() {
        const row = document.createElement('div');
        row.className = 'row';
        const choose = document.createElement('label');
        choose.innerHTML = '<input type="file" multiple accept=".glb,.wav" class="sr"><button type="button">Choose files</button>';
        const [input, button] = choose.children;
        button.onclick = () => input.click();
        input.onchange = () => this.take([...input.files]);
        this.button = document.createElement('button');
        this.button.textContent = 'Play';
        this.button.hidden = true;
        this.button.onclick = () => this.toggle();
        this.seek = Object.assign(document.createElement('input'), { type: 'range', min: 0, max: 1, step: 0.001, value: 0, hidden: true });
        this.seek.setAttribute('aria-label', 'Time');
        this.seek.oninput = () => this.jump(this.seek.value * this.length);
        row.append(choose, this.button);
        this.extra.replaceChildren(row, this.seek);
        const example = this.example;
        if (!example) return;
        const show = document.createElement('button');
        show.textContent = 'Show an example';
        show.onclick = () => this.takeExample();
        row.prepend(show);
    }

    async takeExample() {
        const { glb, wav } = await this.example();
        await this.load(glb, wav);
    }

    async take(files) {
        for (const file of files) {
            const kind = file.name.toLowerCase().match(/\.(glb|wav)$/)?.[1];
            if (kind) this.files[kind] = await file.arrayBuffer();
            else this.toast(`${file.name}: a .glb or a .wav is wanted`);
        }
        const { glb, wav } = this.files;
        if (glb) await this.load(glb, wav);
        else if (wav) this.toast('Now the .glb beside it');
    }

    async load(glb, wav) {
        this.stop();
        let gltf;
        try {
            gltf = await new GLTFLoader().parseAsync(glb.slice(0), '');
        } catch (error) {
            return this.toast(`This is no readable .glb: ${error.message}`);
        }
        this.space.scene.remove(this.root);
        this.root = gltf.scene;
        this.root.traverse((thing) => { if (thing.isMesh) { thing.castShadow = thing.receiveShadow = true; thing.frustumCulled = false; } });
        this.space.scene.add(this.root);
        this.mixer = new THREE.AnimationMixer(this.root);
        for (const clip of gltf.animations) this.mixer.clipAction(clip).setLoop(THREE.LoopOnce).play();
        this.clips = Math.max(0, ...gltf.animations.map((clip) => clip.duration));
        this.buffer = null;
        if (wav) {
            try {
                await this.sound.start();
                this.buffer = await this.sound.context.decodeAudioData(wav.slice(0));
            } catch { this.toast('The .wav cannot be read; the picture goes on without'); }
        }
        this.length = Math.max(this.clips, this.buffer?.duration ?? 0) || 1;
        this.aim();
        this.button.hidden = this.seek.hidden = false;
        this.zone.hidden = true;
        this.stage.querySelector('#hint').classList.add('done');
        this.jump(0);
        this.play();
    }

    aim() {
        this.mixer.setTime(0);
        this.root.updateMatrixWorld(true);
        const box = new THREE.Box3();
        this.root.traverse((thing) => {
            if (!thing.isMesh) return;
            const own = new THREE.Box3().setFromObject(thing), size = own.getSize(new THREE.Vector3()).length();
            if (size < 20) box.union(own);  // not the ground
        });
        if (box.isEmpty()) box.setFromObject(this.root);
        const centre = box.getCenter(new THREE.Vector3()), size = box.getSize(new THREE.Vector3()).length();
        this.space.look({ at: centre.toArray(), turn: 0.5, tilt: 0.3, distance: 1.7 * size, light: size });
        this.space.camera.near = size / 200;
        this.space.camera.far = size * 60;
        this.space.camera.updateProjectionMatrix();
    }

    // ---- time: the sound's clock rules ----

    now() {
        if (!this.playing) return this.from;
        const clock = this.sound.context?.currentTime ?? performance.now() / 1000;
        return Math.min(this.from + clock - this.begun, this.length);
    }
    play() {
        this.stop();
        if (this.from >= this.length - 0.01) this.from = 0;
        this.playing = true;
        this.begun = this.sound.context?.currentTime ?? performance.now() / 1000;
        this.button.textContent = 'Pause';
        if (!this.buffer || this.from >= this.buffer.duration) return;
        this.source = new AudioBufferSourceNode(this.sound.context, { buffer: this.buffer });
        this.source.connect(this.sound.mix);
        this.source.start(this.begun, this.from);
    }
    stop() {
        this.from = this.now();
        this.playing = false;
        try { this.source?.stop(); } catch { /* it was over */ }
        this.source = null;
        if (this.button) this.button.textContent = 'Play';
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
        const time = this.now();
        this.mixer.setTime(Math.min(time, this.clips));
        this.seek.value = time / this.length;
        this.ink.write(`${time.toFixed(2)} s of ${this.length.toFixed(2)} s`, 18, this.ink.height - 18, { colour: this.ink.colour.soft });
        if (this.playing && time >= this.length) this.stop();
    }
}

export default {
    id: 'render',
    title: 'Your render',
    tagline: 'Drop scene.glb and a .wav of twang render here and see them in step.',
    hint: 'Drop a .glb and a .wav, or show the example',
    about: '<code>twang render scenes/dominoes.yaml</code> leaves <code>scene.glb</code> and a WAV per listener. Nothing leaves this page. '
        + 'Drag to turn, wheel or two fingers to come nearer, space to play.',
    View: Render,
};
