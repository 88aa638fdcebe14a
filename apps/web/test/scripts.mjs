// SPDX-License-Identifier: MIT
// What hands do in the tests, bench by bench: [frame, 'act', action, numbers...] and [frame, 'set', parameter, value].
// The page and the native program play the same. values: what sliders begin with, by number.

export const RATE = 48000;

export const scripts = {
    wineglass: {
        bench: 'wineglass', frames: 96000,
        controls: [[0, 'act', 'down', 0.7, 0.4], [24000, 'act', 'move', 0.9, 0.6], [48000, 'set', 8, 1.3], [72000, 'act', 'up']],
    },
    door: { bench: 'door', frames: 72000, controls: [[0, 'act', 'down', 0.7, 0.5], [24000, 'act', 'move', 0.5, 0.3], [48000, 'act', 'up']] },
    // rolling is a row of tiny impacts, in which round-off grows: not for long
    wheel: { bench: 'wheel', frames: 48000, controls: [[0, 'act', 'down', 0.6, 0], [12000, 'act', 'move', 0.2, 0.6], [40000, 'act', 'up']] },
    mug: { bench: 'strike', model: 'mug', frames: 48000, values: { 3: 3e8 }, controls: [[0, 'act', 'hit', 100, 2], [12000, 'act', 'hit', 7, 1], [24000, 'set', 1, 1.5]] },
    bowl: { bench: 'strike', model: 'bowl', frames: 48000, controls: [[0, 'act', 'hit', 40, 2], [1000, 'act', 'hit', 41, 2], [2000, 'act', 'hit', 300, 3]] },
    plate: { bench: 'strike', model: 'plate', frames: 24000, controls: [[0, 'act', 'hit', 20, 2], [12000, 'set', 3, 1e9], [12100, 'act', 'hit', 120, 2]] },
    bar: { bench: 'strike', model: 'bar', frames: 24000, controls: [[0, 'act', 'hit', 10, 2], [9000, 'set', 0, 5], [12000, 'act', 'hit', 80, 2]] },
    figure: { bench: 'strike', model: 'figure', frames: 24000, values: { 0: 2, 1: 2, 3: 2e9, 4: 0.05 }, controls: [[0, 'act', 'hit', 10, 2], [6000, 'act', 'hit', 200, 2]] },
    jelly: {
        bench: 'grab', model: 'toy+board', frames: 72000,
        controls: [[19200, 'act', 'down', 3, 5, 9, 1, 1, 1], [20000, 'act', 'move', 0.05, 0.02, 0.2], [36000, 'act', 'move', -0.1, 0, 0.25], [48000, 'act', 'up']],
    },
    bronze: {
        bench: 'grab', model: 'toy+board', frames: 48000, values: { 0: 1e11, 1: 5e-4, 2: 8000, 3: 0.4, 6: 1000 },
        controls: [[24000, 'act', 'hit', 30, 0.3, 0, 5]],
    },
    rod: {
        bench: 'rod', frames: 48000,
        controls: [[0, 'act', 'down', 11, 0.09, 0, 0.005], [4800, 'act', 'move', 0.0892, 0.001, 0.012], [14400, 'act', 'up'], [33600, 'act', 'hit', 6, 0, 0, -20]],
    },
    string: {
        bench: 'rod', frames: 48000, values: { 0: 1, 1: 0.6, 2: 5e-4, 3: 5e-4, 6: 0.7, 8: 30 },
        controls: [[0, 'act', 'down', 3, 0.17, 0, 0.02], [9600, 'act', 'up']],
    },
    slinky: { bench: 'wire', frames: 48000, controls: [[0, 'act', 'hit', 0.03, 2], [24000, 'act', 'hit', 0.5, 1], [24000, 'act', 'hit', 0.2, 1]] },
    bounce: { bench: 'bounce', frames: 72000, controls: [[0, 'act', 'hit', -1], [48000, 'set', 4, 0.2], [60000, 'act', 'hit', 5]] },
};

const ACTIONS = ['down', 'move', 'up', 'hit', 'reset'];

// as the native program reads them
export function text({ values = {}, controls }) {
    const start = Object.entries(values).map(([parameter, value]) => `-1 set ${parameter} ${value}`);
    const rest = controls.map(([frame, verb, first, ...numbers]) => [frame, verb, verb === 'act' ? ACTIONS.indexOf(first) : first, ...numbers].join(' '));
    return [...start, ...rest].join('\n') + '\n';
}
// as the worklet takes them
export const list = ({ values = {} }) => Array.from({ length: 16 }, (_, i) => values[i] ?? NaN);
