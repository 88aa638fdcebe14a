// SPDX-License-Identifier: MIT
// The benches, in the order of the tabs.
import wineglass from './wineglass.js';

export const benches = [wineglass];
