// SPDX-License-Identifier: MIT
// The page's sound: one context, one bench at a time, a volume with a limit, and a recorder.
//
//   bench -> gain that fades -> mix -> volume -> limit -> loudspeaker
//                                |-> analyser, recorder
import { Engine } from './engine.js';
import { wav } from './wav.js';

const FADE = 0.03;          // between benches [s]
const START_LIMIT = 1500;   // a context that does not run after this many ms will not by itself
const LONGEST_RECORDING = 300;  // [s]
const WARM = 40;  // blocks of a bench that nobody hears

let parts;  // {module, worklet, models}: what was packed into the page

export async function unpack(base64, zipped) {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    if (!zipped) return bytes.buffer;
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).arrayBuffer();
}

// models one after the other
async function join(promises) {
    const buffers = await Promise.all(promises), all = new Uint8Array(buffers.reduce((sum, b) => sum + b.byteLength, 0));
    let at = 0;
    for (const buffer of buffers) { all.set(new Uint8Array(buffer), at); at += buffer.byteLength; }
    return all.buffer;
}

// packed: {wasm, worklet, models: {name: base64 of gzip}}
export async function load(packed) {
    const wasm = await unpack(packed.wasm, true);
    parts = { module: await WebAssembly.compile(wasm), worklet: packed.worklet, models: {} };
    parts.model = async (names) => (parts.models[names] ??= await join(names.split('+').map((name) => unpack(packed.models[name], true))));
    return parts;
}

// A node that plays a bench in any context, also an offline one.
export async function benchNode(context, { bench, values, model, script, quiet, onmessage }) {
    context.twangReady ??= context.audioWorklet.addModule(`data:text/javascript;base64,${parts.worklet}`);
    await context.twangReady;
    const node = new AudioWorkletNode(context, 'bench', {
        numberOfInputs: 0,
        outputChannelCount: [2],
        processorOptions: {
            module: parts.module, bench, values, script, quiet, model: model ? await parts.model(model) : undefined,
        },
    });
    if (onmessage) node.port.onmessage = ({ data }) => onmessage(data);
    return node;
}

// Browsers translate functions when these are first called, and again when they turn out to be called often. A bench that runs here for a
// moment, before it sounds, spares the audio thread, which has no time for that.
const warmed = new Set();
async function warm({ bench, values, model }, rate) {
    if (warmed.has(bench)) return;
    warmed.add(bench);
    const bytes = model ? await parts.model(model) : undefined;
    try {
        const engine = new Engine(parts.module);
        engine.create(bench, rate, values, bytes);
        for (let i = 0; i < WARM; i++) engine.process(128);
    } catch {
        // the worklet says what is wrong
    }
}

export class Sound extends EventTarget {
    constructor() {
        super();
        this.volume = 0.7;
        this.state = 'waiting';  // waiting, running, blocked, none, hidden
    }

    tell(state, detail) {
        if (this.state === state && !detail) return;
        this.state = state;
        this.dispatchEvent(new CustomEvent('state', { detail: { state, reason: detail } }));
    }

    // Call it from a click or a key: browsers do not let pages sound before.
    async start() {
        try {
            if (this.context?.state === 'closed') this.context = null;
            this.context ??= this.build();
        } catch (error) {
            this.tell('none', error.message);
            return false;
        }
        if (this.context.state !== 'running') {
            const resumed = this.context.resume().catch((error) => this.tell('blocked', error.message));
            await Promise.race([resumed, new Promise((done) => setTimeout(done, START_LIMIT))]);
        }
        if (this.context.state === 'running') this.tell('running');
        else this.tell('blocked');
        return this.context.state === 'running';
    }

    // it may be allowed now
    nudge() { this.context?.resume().catch(() => {}); }

    build() {
        const Context = window.AudioContext ?? window.webkitAudioContext;
        if (!Context) throw new Error('this browser has no Web Audio');
        const context = new Context({ latencyHint: 'interactive' });
        if (!context.audioWorklet) throw new Error('browsers have AudioWorklet only on pages from disk or from https: hosts');
        this.out = new GainNode(context, { gain: this.volume });
        this.analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0 });
        this.mix = new GainNode(context);
        // benches limit themselves; this holds what files bring: beyond the ends of the curve is its end
        const limit = new WaveShaperNode(context, { curve: [-1, 1] });
        this.mix.connect(this.out).connect(limit).connect(context.destination);
        this.mix.connect(this.analyser);
        context.onstatechange = () => {
            if (context.state === 'running') this.tell('running');
            else if (!document.hidden && this.state === 'running') this.tell('blocked');
        };
        context.onerror = () => this.tell('none', 'the sound device stopped');
        return context;
    }

    setVolume(volume) {
        this.volume = Math.min(Math.max(volume, 0), 1);
        if (this.out) this.out.gain.setTargetAtTime(this.volume, this.context.currentTime, 0.02);
    }

    // The bench that sounds from now on; the last one fades away.
    async play(options) {
        const context = this.context, last = this.bench;
        const token = (this.token = {});
        await warm(options, context.sampleRate);
        const node = await benchNode(context, {
            ...options,
            onmessage: (data) => {
                if (this.bench?.node !== node) return;
                if (data.error) this.dispatchEvent(new CustomEvent('failed', { detail: data.error }));
                if (data.late) this.dispatchEvent(new CustomEvent('late', { detail: data.late }));
                if (data.picture) this.dispatchEvent(new CustomEvent('picture', { detail: data.picture }));
            },
        });
        if (this.token !== token) return node.port.postMessage({ stop: true });
        const gain = new GainNode(context, { gain: 0 });
        node.onprocessorerror = () => this.dispatchEvent(new CustomEvent('failed', { detail: 'the bench stopped' }));
        node.connect(gain).connect(this.mix);
        gain.gain.setTargetAtTime(1, context.currentTime, FADE / 3);
        this.bench = { node, gain };
        if (last) this.drop(last);
        return node;
    }

    drop({ node, gain }) {
        gain.gain.setTargetAtTime(0, this.context.currentTime, FADE / 3);
        setTimeout(() => {
            node.port.postMessage({ stop: true });
            gain.disconnect();
        }, 4000 * FADE);
    }

    silence() {
        this.token = null;
        if (this.bench) this.drop(this.bench);
        this.bench = null;
    }

    set(index, value) { this.bench?.node.port.postMessage({ set: [index, value] }); }
    act(action, ...numbers) { this.bench?.node.port.postMessage({ act: [action, ...numbers] }); }

    // ---- hidden pages are silent, and go on when they are seen again ----

    hide() {
        if (this.state !== 'running') return;
        this.tell('hidden');
        this.context.suspend();
    }
    // @return whether it sounds again
    async show() { return this.state === 'hidden' && this.start(); }

    // ---- recording ----

    // onfull: called when the tape is full
    record(onfull) {
        const blocks = [], most = LONGEST_RECORDING * this.context.sampleRate / 128;
        const node = new AudioWorkletNode(this.context, 'recorder', { numberOfOutputs: 0, channelCount: 2, channelCountMode: 'explicit' });
        const whole = new Promise((done) => {
            node.port.onmessage = ({ data }) => {
                if (data === 'stopped') return done();
                blocks.push(data);
                if (blocks.length === Math.ceil(most)) onfull();
            };
        });
        this.mix.connect(node);
        this.tape = { node, blocks, whole };
    }
    // what is still on its way belongs to it; a context that does not run sends nothing more
    async stopRecording() {
        const { node, blocks, whole } = this.tape;
        this.tape = null;
        node.port.postMessage('stop');
        await Promise.race([whole, new Promise((done) => setTimeout(done, 500))]);
        this.mix.disconnect(node);
        return new Blob([wav(blocks, this.context.sampleRate)], { type: 'audio/wav' });
    }
}
