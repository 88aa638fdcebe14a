// SPDX-License-Identifier: MIT
// What the page renders is what the native library renders, sample by sample.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { address, launch, models, program } from './browser.mjs';
import { RATE, scripts, text } from './scripts.mjs';

const TOLERANCE = 1e-6;

let browser;
before(async () => {
    browser = await launch();
    await browser.tab.goto(address());
    await browser.tab.waitForFunction(() => window.twang?.app.view);
});
after(() => browser.close());

// rendered by the page's own worklet
async function pageSound({ bench, frames, controls, model, values }) {
    const base64 = await browser.tab.evaluate(async ({ bench, frames, controls, model, values, RATE }) => {
        const context = new OfflineAudioContext(2, frames, RATE);
        let error;
        const node = await twang.benchNode(context, { bench, script: controls, model, values, quiet: true, onmessage: (m) => { error ??= m.error; } });
        node.connect(context.destination);
        const sound = await context.startRendering();
        await new Promise((done) => setTimeout(done));
        if (error) throw new Error(error);
        const both = new Float32Array(2 * frames), left = sound.getChannelData(0), right = sound.getChannelData(1);
        for (let i = 0; i < frames; i++) { both[2 * i] = left[i]; both[2 * i + 1] = right[i]; }
        let binary = '';
        const bytes = new Uint8Array(both.buffer);
        for (let i = 0; i < bytes.length; i += 32768) binary += String.fromCharCode(...bytes.subarray(i, i + 32768));
        return btoa(binary);
    }, { bench, frames, controls, model, values, RATE });
    const bytes = Buffer.from(base64, 'base64');
    return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

function nativeSound({ bench, frames, controls, model }) {
    const files = model ? [join(models, `${model}.twmodes`)] : [];
    const run = spawnSync(program, ['render', bench, RATE, frames, ...files].map(String), { input: text(controls), maxBuffer: 1 << 28 });
    assert.equal(run.status, 0, String(run.stderr));
    return new Float32Array(run.stdout.buffer.slice(run.stdout.byteOffset, run.stdout.byteOffset + run.stdout.length));
}

for (const [name, script] of Object.entries(scripts)) {
    test(`${name}: the page sounds as the native library does`, async () => {
        const job = { bench: name, ...script }, page = await pageSound(job), native = nativeSound(job);
        assert.equal(page.length, native.length);
        let worst = 0, at = 0, peak = 0;
        for (let i = 0; i < page.length; i++) {
            peak = Math.max(peak, Math.abs(native[i]));
            if (!(Math.abs(page[i] - native[i]) <= worst)) { worst = Math.abs(page[i] - native[i]); at = i; }
        }
        console.log(`${name}: largest difference ${worst.toExponential(1)} at ${(at / 2 / RATE).toFixed(3)} s, peak ${peak.toFixed(3)}`);
        assert.ok(peak > 0.02, `peak ${peak}: nothing to hear`);
        assert.ok(worst <= TOLERANCE, `differs by ${worst} at sample ${at}`);
    });
}
