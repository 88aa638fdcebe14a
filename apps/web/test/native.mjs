// SPDX-License-Identifier: MIT
// What the native program renders of a script, to compare with.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { models, program } from './built.mjs';
import { RATE, text } from './scripts.mjs';

export const TOLERANCE = 1e-6;  // of full scale

// processor: whose kernels, see TWANG_PROCESSOR in docs/web.md; undefined: this one's
export function nativeSound(script, processor) {
    const files = script.model ? script.model.split('+').map((name) => join(models, `${name}.twmodes`)) : [];
    const run = spawnSync(program, ['render', script.bench, RATE, script.frames, ...files].map(String), {
        input: text(script), maxBuffer: 1 << 28, env: { ...process.env, ...(processor ? { TWANG_PROCESSOR: processor } : {}) },
    });
    assert.equal(run.status, 0, String(run.stderr));
    return new Float32Array(run.stdout.buffer.slice(run.stdout.byteOffset, run.stdout.byteOffset + run.stdout.length));
}

// largest difference and largest sample
export function compare(a, b) {
    assert.equal(a.length, b.length);
    let worst = 0, peak = 0;
    for (let i = 0; i < a.length; i++) {
        peak = Math.max(peak, Math.abs(b[i]));
        if (!(Math.abs(a[i] - b[i]) <= worst)) worst = Math.abs(a[i] - b[i]);
    }
    return { worst, peak };
}
