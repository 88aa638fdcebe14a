// SPDX-License-Identifier: MIT
// The audio thread: a bench that plays, and a recorder. Messages in: {set: [index, value]}, {act: [action, numbers...]}.
// Messages out: {picture} sixty times a second, {late} when the device could not keep up, {error}.
import { Engine } from './engine.js';

const PICTURES = 60;  // per second
const SILENCE = new Float32Array(128);
const LATE = 0.06;    // audio that is this much behind the clock has been interrupted [s]
const DRIFT = 5e-4;   // by which clocks may differ

class Bench extends AudioWorkletProcessor {
    constructor({ processorOptions: options }) {
        super();
        this.script = options.script ?? [];
        this.next = 0;
        this.every = options.quiet ? Infinity : Math.round(sampleRate / PICTURES / 128);
        this.blocks = 0;
        this.lead = null;
        this.watched = 0;
        try {
            this.engine = new Engine(options.module);
            this.engine.create(options.bench, sampleRate, options.values, options.model);
        } catch (error) {
            this.port.postMessage({ error: error.message });
            this.engine = null;
        }
        this.port.onmessage = ({ data }) => this.hear(data);
        this.port.postMessage({ ready: true });
    }

    hear({ set, act, stop }) {
        if (stop) this.stopped = true;
        if (!this.engine) return;
        if (set) this.engine.set(...set);
        if (act) this.engine.act(...act);
    }

    // controls with their times: what tests send
    play(script) {
        for (; this.next < script.length && script[this.next][0] < currentFrame + 128; this.next++) {
            const [, verb, ...rest] = script[this.next];
            this.hear({ [verb]: rest });
        }
    }

    // how much less audio than time has passed since the best moment so far
    watch() {
        const now = Date.now() / 1000, lead = currentTime - now;
        // clocks of sound cards go by another second: what is lost so slowly is nothing that was heard
        const most = this.lead - DRIFT * (now - this.watched);
        this.watched = now;
        this.lead = this.lead === null || lead > most ? lead : most;
        if (this.lead - lead < LATE) return;
        this.port.postMessage({ late: this.lead - lead });
        this.lead = lead;
    }

    process(inputs, [[left, right]]) {
        if (this.stopped || !this.engine) return false;
        const { engine } = this;
        if (this.script.length) this.play(this.script);
        engine.process(left.length);
        engine.look();
        left.set(engine.left);
        right?.set(engine.right);
        if (++this.blocks % this.every === 0) {
            const picture = engine.picture();
            this.port.postMessage({ picture }, [picture.buffer]);
            this.watch();
        }
        return true;
    }
}

// sends every block, and a last word after the last one
class Recorder extends AudioWorkletProcessor {
    constructor() {
        super();
        this.port.onmessage = () => { this.port.postMessage('stopped'); this.stopped = true; };
    }
    process([[left, right]]) {
        if (this.stopped) return false;
        this.port.postMessage([left ?? SILENCE, right ?? left ?? SILENCE]);
        return true;
    }
}

registerProcessor('bench', Bench);
registerProcessor('recorder', Recorder);
