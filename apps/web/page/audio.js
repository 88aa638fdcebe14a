// SPDX-License-Identifier: MIT
// The page's sound: one context, one bench at a time, a volume with a limit, and a recorder.

const FADE = 0.03;          // between benches [s]
const START_LIMIT = 1500;   // a context that does not run after this many ms will not by itself
const LONGEST_RECORDING = 300;  // [s]

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

    build() {
        const Context = window.AudioContext ?? window.webkitAudioContext;
        if (!Context) throw new Error('this browser has no Web Audio');
        const context = new Context({ latencyHint: 'interactive' });
        if (!context.audioWorklet) throw new Error('this browser has no AudioWorklet (pages from http: hosts have none)');
        this.out = new GainNode(context, { gain: this.volume });
        this.analyser = new AnalyserNode(context, { fftSize: 4096, smoothingTimeConstant: 0 });
        this.mix = new GainNode(context);
        this.mix.connect(this.out).connect(context.destination);
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
    async show() {
        if (this.state !== 'hidden') return;
        await this.start();
    }

    // ---- recording ----

    record() {
        const blocks = [];
        const node = new AudioWorkletNode(this.context, 'recorder', { numberOfOutputs: 0, channelCount: 2, channelCountMode: 'explicit' });
        const most = LONGEST_RECORDING * this.context.sampleRate / 128;
        node.port.onmessage = ({ data }) => { if (blocks.length < most) blocks.push(data); };
        this.mix.connect(node);
        this.tape = { node, blocks };
    }
    stopRecording() {
        const { node, blocks } = this.tape;
        this.tape = null;
        this.mix.disconnect(node);
        node.port.postMessage('stop');
        return wav(blocks, this.context.sampleRate);
    }
}

// A WAV file of 16 bits from blocks of [left, right].
export function wav(blocks, rate) {
    const frames = blocks.reduce((sum, [left]) => sum + left.length, 0), bytes = new DataView(new ArrayBuffer(44 + 4 * frames));
    const text = (at, word) => { for (let i = 0; i < word.length; i++) bytes.setUint8(at + i, word.charCodeAt(i)); };
    text(0, 'RIFF'); bytes.setUint32(4, 36 + 4 * frames, true); text(8, 'WAVEfmt ');
    bytes.setUint32(16, 16, true); bytes.setUint16(20, 1, true); bytes.setUint16(22, 2, true);
    bytes.setUint32(24, rate, true); bytes.setUint32(28, 4 * rate, true); bytes.setUint16(32, 4, true); bytes.setUint16(34, 16, true);
    text(36, 'data'); bytes.setUint32(40, 4 * frames, true);
    let at = 44;
    for (const block of blocks)
        for (let i = 0; i < block[0].length; i++)
            for (const channel of block) {
                bytes.setInt16(at, Math.round(32767 * Math.min(Math.max(channel[i], -1), 1)), true);
                at += 2;
            }
    return new Blob([bytes], { type: 'audio/wav' });
}
