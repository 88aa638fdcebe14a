// SPDX-License-Identifier: MIT
// What the page renders is what the native library renders, sample by sample, with the kernels that any processor runs. How far the
// kernels of this processor are from it is told, not judged.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { launch, open } from './browser.mjs';
import { TOLERANCE, compare, nativeSound } from './native.mjs';
import { RATE, list, scripts } from './scripts.mjs';

let browser;
before(async () => {
    browser = await launch({ unseen: true, size: { width: 240, height: 160 } });
    await open(browser.tab, 'bounce');
});
after(() => browser.close());

// rendered by the page's own worklet
async function pageSound({ bench, frames, controls, model }, values) {
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

for (const [name, script] of Object.entries(scripts)) {
    test(`${name}: the page sounds as the native library does`, async () => {
        const page = await pageSound(script, list(script));
        const { worst, peak } = compare(page, nativeSound(script, 'generic')), own = compare(page, nativeSound(script));
        console.log(`${name}: peak ${peak.toFixed(3)}, largest difference ${worst.toExponential(1)}, from this processor's kernels ${own.worst.toExponential(1)}`);
        assert.ok(peak > 0.01, `peak ${peak}: nothing to hear`);
        assert.ok(worst <= TOLERANCE, `differs by ${worst}`);
    });
}
