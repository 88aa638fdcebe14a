// SPDX-License-Identifier: MIT
// The benches, in the order of the tabs.
import bounce from './bounce.js';
import door from './door.js';
import grab from './grab.js';
import render from './render.js';
import rod from './rod.js';
import strike from './strike.js';
import wheel from './wheel.js';
import wineglass from './wineglass.js';

export const benches = [wineglass, strike, grab, door, wheel, rod, bounce, render];
