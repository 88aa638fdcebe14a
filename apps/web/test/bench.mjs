// SPDX-License-Identifier: MIT
// bench_web: what the playground costs in Chromium, with the native figures beside. Options: --json, --seconds N (live run, 60).
// Loads are seconds of processing per second of sound: in the page by an OfflineAudioContext (wall time, best of three), natively by
// processor time.
import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { address, launch, models, page as file, program, ready } from './browser.mjs';
import { RATE, list, scripts, text } from './scripts.mjs';

const json = process.argv.includes('--json'), at = process.argv.indexOf('--seconds'), seconds = at > 0 ? +process.argv[at + 1] : 60;
const REPEATS = 3;

async function pageLoad(tab, { bench, controls, model, frames }, values) {
    return tab.evaluate(async ({ bench, controls, model, frames, values, RATE, REPEATS }) => {
        await twang.app.parts;
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

// from the click to the first sample that is not silent, in a fresh page
async function firstSound() {
    const { tab, close } = await launch({ size: { width: 240, height: 160 } });
    await tab.goto(address('#bounce'));
    await ready(tab);
    const took = await tab.evaluate(async () => {
        const begin = performance.now();
        twang.app.act('hit', -1);
        await twang.app.wake();
        const { analyser } = twang.app.sound, samples = new Float32Array(analyser.fftSize);
        for (;;) {
            analyser.getFloatTimeDomainData(samples);
            // the balls fall for a quarter of a second before they sound: the bench runs when its pictures come
            if (samples.some((x) => x !== 0) || twang.app.view.balls[0].contacts > 0 || twang.app.view.balls[0].past.length) return performance.now() - begin;
            await new Promise((done) => setTimeout(done, 2));
        }
    });
    await close();
    return took / 1000;
}

// a live run: how often the sound fell behind the clock
async function live() {
    const { tab, close } = await launch({ size: { width: 240, height: 160 } });
    await tab.goto(address('#wineglass'));
    await ready(tab);
    await tab.evaluate(async () => { twang.app.act('down', 0.75, 0.4); await twang.app.wake(); });
    await tab.waitForTimeout(1000);
    const before = await tab.evaluate(() => { twang.app.late = 0; return [twang.app.sound.context.currentTime, performance.now()]; });
    await tab.waitForTimeout(1000 * seconds);
    const result = await tab.evaluate(([time, clock]) => ({
        seconds: twang.app.sound.context.currentTime - time, behind: (performance.now() - clock) / 1000 - (twang.app.sound.context.currentTime - time),
        underruns: twang.app.late,
    }), before);
    await close();
    return result;
}

const report = { page_mb: statSync(file).size / 1e6, rate_hz: RATE, benches: {} };
const { tab, close } = await launch({ size: { width: 240, height: 160 } });
await tab.goto(address('#render'));
await ready(tab);
for (const [name, script] of Object.entries(scripts)) {
    const longer = { ...script, frames: 4 * RATE };
    const page = await pageLoad(tab, longer, list(script)), native = nativeLoad(longer);
    report.benches[name] = { page_load: page, native_load: native, ratio: page / native };
    if (!json) console.log(`${name.padEnd(10)} page ${(100 * page).toFixed(1)} %  native ${(100 * native).toFixed(1)} %`);
}
await close();
report.first_sound_s = await firstSound();
report.live = await live();
console.log(json ? JSON.stringify(report, null, 2) : `page ${report.page_mb.toFixed(2)} MB, first sound after ${report.first_sound_s.toFixed(2)} s, `
    + `${report.live.underruns} underruns in ${report.live.seconds.toFixed(0)} s`);
