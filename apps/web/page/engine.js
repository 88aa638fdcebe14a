// SPDX-License-Identifier: MIT
// The WebAssembly module of one bench: memory, names and numbers in and out. Runs in the worklet, in the page and under node.

const ACTIONS = { down: 0, move: 1, up: 2, hit: 3, reset: 4 };

// What the module's libc would ask an operating system for. A bench never does, but for a failed assertion.
function imports(module) {
    const wanted = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module)) {
        wanted[from] ??= {};
        wanted[from][name] = name === 'proc_exit' ? () => { throw new Error('the bench stopped'); } : () => 0;
    }
    return wanted;
}

export class Engine {
    constructor(module) {
        this.wasm = new WebAssembly.Instance(module, imports(module)).exports;
        this.wasm._initialize();
        this.look();
    }

    // views of the memory, which grows while a bench is made
    look() {
        const { wasm } = this, memory = wasm.memory.buffer;
        if (this.memory === memory) return;
        this.memory = memory;
        this.left = new Float32Array(memory, wasm.left(), 128);
        this.right = new Float32Array(memory, wasm.right(), 128);
        this.numbers = new Float64Array(memory, wasm.arguments(), 8);
    }

    text(at) {
        const bytes = new Uint8Array(this.wasm.memory.buffer);
        let end = at;
        while (bytes[end]) end++;
        let text = '';
        for (let i = at; i < end; i++) text += String.fromCharCode(bytes[i]);
        return text;
    }

    // model: ArrayBuffer of a .twmodes file, or nothing
    create(bench, rate, values, model) {
        const { wasm } = this;
        let at = 0, size = 0;
        if (model) {
            size = model.byteLength;
            at = wasm.room(size);
            new Uint8Array(wasm.memory.buffer).set(new Uint8Array(model), at);
        }
        const bytes = new Uint8Array(wasm.memory.buffer, wasm.name(), 64);
        for (let i = 0; i <= bench.length; i++) bytes[i] = bench.charCodeAt(i) || 0;
        new Float64Array(wasm.memory.buffer, wasm.values(), 16).fill(NaN).set(values ?? []);
        if (wasm.create(rate, at, size) !== 0) throw new Error(this.text(wasm.complaint()));
        this.look();
    }

    set(parameter, value) { this.wasm.set(parameter, value); }

    act(action, ...numbers) {
        this.numbers.set(numbers);
        this.wasm.act(ACTIONS[action], numbers.length);
    }

    process(frames) { this.wasm.process(frames); }

    picture() {
        const count = this.wasm.picture();
        return new Float32Array(this.wasm.memory.buffer, this.wasm.pixels(), count).slice();
    }
}
