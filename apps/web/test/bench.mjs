// SPDX-License-Identifier: MIT
// bench_web: what the playground costs in Chromium, with the native figures beside. Options: --json, --seconds N (of the live run, 60).
// Loads are seconds per second of sound, best of three: native and wasm processor time, the latter of the same module under node; page the
// time that passed in an OfflineAudioContext; live the processor time of the audio worklet's thread, where the system tells it. Nothing is drawn, since where there is no graphics
// card the processor would draw.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { PATIENCE, launch, mouse, open, sounding } from './browser.mjs';
import { models, page as file, program } from './built.mjs';
import { makeWith, run } from './benches.mjs';
import { playByHand, plays } from './plays.mjs';
import { RATE, list, scripts, text } from './scripts.mjs';
import { processorTime } from './threads.mjs';

const json = process.argv.includes('--json'), at = process.argv.indexOf('--seconds'), seconds = at > 0 ? +process.argv[at + 1] : 60;
const REPEATS = 3, WORKLET = /AudioW/;  // AudioWorklet, or Realtime AudioWorklet cut to what the system keeps of a name
const DRAGGED = 1000;  // a thing is held, and then left alone, so long [ms]
const small = { unseen: true, size: { width: 390, height: 640 } };

async function pageLoad(tab, { bench, controls, model, frames }, values) {
    return tab.evaluate(async ({ bench, controls, model, frames, values, RATE, REPEATS }) => {
        let best = Infinity;
        for (let i = 0; i < REPEATS; i++) {
            // making the bench does not count
            const context = new OfflineAudioContext(2, frames, RATE);
            let made;
            const done = new Promise((resolve) => { made = resolve; });
            const node = await twang.benchNode(context, { bench, script: controls, model, values, quiet: true, onmessage: (m) => { if (m.ready) made(); } });
            node.connect(context.destination);
            await Promise.race([done, new Promise((late) => setTimeout(late, 3000))]);
            const begin = performance.now();
            await context.startRendering();
            best = Math.min(best, (performance.now() - begin) / 1000 / (frames / RATE));
        }
        return best;
    }, { bench, controls, model, frames, values, RATE, REPEATS });
}

function nativeLoad(script) {
    const files = script.model ? script.model.split('+').map((name) => join(models, `${name}.twmodes`)) : [];
    const run = () => +execFileSync(program, ['time', script.bench, RATE, script.frames, ...files].map(String), { input: text(script) });
    return Math.min(...Array.from({ length: REPEATS }, run));
}

// the module as the worklet runs it
function wasmLoad(script, values) {
    const load = () => {
        const engine = makeWith(script.bench, values, script.model), begin = process.cpuUsage();
        run(engine, script);
        const { user, system } = process.cpuUsage(begin);
        return (user + system) / 1e6 / (script.frames / RATE);
    };
    return Math.min(...Array.from({ length: REPEATS }, load));
}

async function offline() {
    const { tab, close } = await launch(small), loads = {};
    await open(tab, 'render');
    for (const [name, script] of Object.entries(scripts)) {
        const longer = { ...script, frames: 4 * RATE }, page = await pageLoad(tab, longer, list(script));
        const wasm = wasmLoad(longer, list(script)), native = nativeLoad(longer);
        loads[name] = { page_load: page, wasm_load: wasm, native_load: native, ratio: wasm / native };
        if (!json) console.log(`${name.padEnd(10)} page ${(100 * page).toFixed(1)} %  wasm ${(100 * wasm).toFixed(1)} %  native ${(100 * native).toFixed(1)} %`);
    }
    await close();
    return loads;
}

// from a real click to the first sample that is not silent, in a fresh page that may not sound before
async function firstSound() {
    const { tab, close } = await launch({ ...small, denied: true });
    await open(tab, 'strike');
    const hand = await mouse(tab);
    await tab.evaluate(() => {
        window.took = new Promise((done) => {
            addEventListener('pointerdown', () => {
                const begin = performance.now();
                const look = () => {
                    const { analyser } = twang.app.sound, samples = new Float32Array(analyser?.fftSize ?? 0);
                    analyser?.getFloatTimeDomainData(samples);
                    if (samples.some((x) => x !== 0)) done((performance.now() - begin) / 1000);
                    else setTimeout(look, 2);
                };
                look();
            }, { capture: true, once: true });
        });
    });
    await hand.down(0.5, 0.45);
    const took = await tab.evaluate((late) => Promise.race([window.took, new Promise((done) => setTimeout(() => done(null), late))]), PATIENCE);
    await close();
    if (took === null) throw new Error('a click made no sound');
    return took;
}

// all benches are played, one after the other: how often the sound fell behind the clock, and what the worklet's thread took
async function live() {
    const { tab, close, folder } = await launch(small), each = seconds / Object.keys(plays).length, result = { seconds: 0, underruns: 0, worklet_load: {} };
    for (const [hash, play] of Object.entries(plays)) {
        await open(tab, hash);
        const hand = await mouse(tab);
        let release = await playByHand(hand, play);
        await sounding(tab);
        await tab.waitForTimeout(500);
        const clock = () => tab.evaluate(() => twang.app.sound.context.currentTime);
        await tab.evaluate(() => { twang.app.late = 0; });
        const [time, busy] = [await clock(), processorTime(folder, WORKLET)];
        // what is dragged is let go and taken again: a rod that rings costs more than one that is held
        for (const end = performance.now() + 1000 * each; performance.now() < end;) {
            await tab.waitForTimeout(Math.min(DRAGGED, end - performance.now()));
            if (!play.drag) continue;
            await release?.();
            release = release ? undefined : await playByHand(hand, play);
        }
        const took = await clock() - time;
        result.seconds += took;
        result.underruns += await tab.evaluate(() => twang.app.late);
        result.worklet_load[hash] = busy === null ? null : (processorTime(folder, WORKLET) - busy) / took;
        await release?.();
    }
    await close();
    return result;
}

const report = { page_mb: statSync(file).size / 1e6, rate_hz: RATE, machine_load: loadavg()[0], benches: await offline(), first_sound_s: await firstSound(), live: await live() };
console.log(json ? JSON.stringify(report, null, 2) : `page ${report.page_mb.toFixed(2)} MB, first sound after ${report.first_sound_s.toFixed(2)} s, `
    + `${report.live.underruns} underruns in ${report.live.seconds.toFixed(0)} s`);
