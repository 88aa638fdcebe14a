// SPDX-License-Identifier: MIT
// The benches under node, as the page's worklet runs them: no browser needed.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Engine } from '../page/engine.js';
import { models, program, root } from './built.mjs';

export const RATE = 48000;
export const CEILING = 0.7;  // see apps/web/playground.h
export const { benches } = JSON.parse(execFileSync(program, ['describe']));

const module = new WebAssembly.Module(readFileSync(join(root, 'build/web/bin/playground.wasm')));

function modelOf(names) {
    const files = names.split('+').map((name) => readFileSync(join(models, `${name}.twmodes`)));
    const all = Buffer.concat(files);
    return all.buffer.slice(all.byteOffset, all.byteOffset + all.length);
}

// values in the order of the sliders; what is no number starts where its slider does
export function makeWith(bench, values, model) {
    const engine = new Engine(module);
    engine.create(bench, RATE, values, model && modelOf(model));
    return engine;
}
// by name
export const make = (bench, values = {}, model) => makeWith(bench, benches[bench].map((p) => values[p.name] ?? p.start), model);

// as the worklet plays a script; each(frame, left, right) gets every block of 128 samples
export function run(engine, { frames, controls }, each = () => {}) {
    let next = 0;
    for (let frame = 0; frame < frames; frame += 128) {
        for (; next < controls.length && controls[next][0] < frame + 128; next++) engine[controls[next][1]](...controls[next].slice(2));
        engine.process(128);
        engine.look();
        each(frame, engine.left, engine.right);
    }
}

// left channel of the next seconds
export function listen(engine, seconds) {
    const out = new Float32Array(128 * Math.ceil(seconds * RATE / 128));
    for (let at = 0; at < out.length; at += 128) {
        engine.process(128);
        engine.look();
        out.set(engine.left, at);
    }
    return out;
}

export const peak = (samples) => samples.reduce((most, x) => (Math.abs(x) <= most ? most : Math.abs(x)), 0);  // NaN is the greatest
export const rms = (samples) => Math.sqrt(samples.reduce((sum, x) => sum + x * x, 0) / samples.length);

// numbers in [0, 1) that are the same every time
export function dice(seed) {
    let state = seed >>> 0;
    return () => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
        return state / 2 ** 32;
    };
}
