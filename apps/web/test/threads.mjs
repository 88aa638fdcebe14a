// SPDX-License-Identifier: MIT
// Processor time of threads by their name, in the processes of one browser. Linux tells it; elsewhere there is none.
import { readFileSync, readdirSync } from 'node:fs';

const TICKS = 100;  // of a second, as /proc counts them

const read = (path) => { try { return readFileSync(path, 'latin1'); } catch { return ''; } };
const list = (path) => { try { return readdirSync(path).filter((name) => /^\d+$/.test(name)); } catch { return []; } };

// a process and all below it
function family(folder) {
    const parents = new Map(list('/proc').map((pid) => [pid, read(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[1]]));
    const mine = new Set([...parents.keys()].filter((pid) => read(`/proc/${pid}/cmdline`).includes(folder)));
    for (let grown = true; grown;) {
        grown = false;
        for (const [pid, parent] of parents) if (mine.has(parent) && !mine.has(pid)) { mine.add(pid); grown = true; }
    }
    return mine;
}

// @return seconds that threads whose name matches have worked, of the browser whose profile is in a folder; null if nobody knows
export function processorTime(folder, name) {
    let sum = null;
    for (const pid of family(folder))
        for (const task of list(`/proc/${pid}/task`)) {
            const stat = read(`/proc/${pid}/task/${task}/stat`), [, called, rest] = stat.match(/\((.*)\) (.*)/) ?? [];
            if (!called || !name.test(called)) continue;
            const [user, system] = rest.split(' ').slice(11, 13).map(Number);
            sum = (sum ?? 0) + (user + system) / TICKS;
        }
    return sum;
}
