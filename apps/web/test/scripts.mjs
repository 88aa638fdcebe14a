// SPDX-License-Identifier: MIT
// What hands do in the tests, bench by bench: [frame, 'act', action, numbers...] and [frame, 'set', parameter, value].
// The page and the native program play the same.

export const RATE = 48000;

export const scripts = {
    wineglass: { frames: 96000, controls: [[0, 'act', 'down', 0.7, 0.4], [24000, 'act', 'move', 0.9, 0.6], [48000, 'set', 8, 1.3], [72000, 'act', 'up']] },
};

const ACTIONS = ['down', 'move', 'up', 'hit', 'reset'];

// as the native program reads them
export const text = (controls) => controls.map(([frame, verb, first, ...rest]) =>
    [frame, verb, verb === 'act' ? ACTIONS.indexOf(first) : first, ...rest].join(' ')).join('\n') + '\n';
