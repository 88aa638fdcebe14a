// SPDX-License-Identifier: MIT
// What the WebAssembly module renders under node is what the native library renders, with the kernels that any processor runs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeWith, run } from './benches.mjs';
import { TOLERANCE, compare, nativeSound } from './native.mjs';
import { list, scripts } from './scripts.mjs';

for (const [name, script] of Object.entries(scripts)) {
    test(`${name}: the module sounds as the native library does`, () => {
        const sound = new Float32Array(2 * script.frames);
        run(makeWith(script.bench, list(script), script.model), script, (frame, left, right) => {
            for (let i = 0; i < 128 && frame + i < script.frames; i++) sound.set([left[i], right[i]], 2 * (frame + i));
        });
        const { worst, peak } = compare(sound, nativeSound(script, 'generic'));
        assert.ok(peak > 0.01, `peak ${peak}: nothing to hear`);
        assert.ok(worst <= TOLERANCE, `differs by ${worst}`);
    });
}
