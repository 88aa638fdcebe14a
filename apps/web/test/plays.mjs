// SPDX-License-Identifier: MIT
// How each bench is played, by a hand (a mouse or a finger) and by keys, and how one sees that it noticed.
// hold: the hand stays down, as one does who rubs.

const pair = () => twang.app.view.state.pairs[0]?.normal > 0;

export const plays = {
    wineglass: { hold: [0.75, 0.4], keys: ['Space'], noticed: pair },
    strike: { clicks: [[0.5, 0.45], [0.52, 0.45]], keys: ['a', 'g', 'Space'], noticed: () => twang.app.view.blow > 0 },
    grab: { drag: [[0.5, 0.5], [0.6, 0.7]], keys: ['ArrowUp', 'ArrowUp'], noticed: () => twang.app.view.held },
    door: { hold: [0.7, 0.45], keys: ['Space'], noticed: pair },
    wheel: { hold: [0.8, 0.5], keys: ['Space'], noticed: pair },
    rod: { drag: [[0.7, 0.5], [0.68, 0.62]], keys: ['ArrowUp', 'f'], noticed: () => twang.app.view.energy > 0 },
    'rod?variant=1': { clicks: [[0.3, 0.5]], keys: ['d'], noticed: () => twang.app.view.moved.some((x) => x !== 0) },
    bounce: { clicks: [[0.5, 0.05]], keys: ['Space'], noticed: () => twang.app.view.balls[0].contacts > 0 },
};

// @return what lets go, if the hand drags or holds
export async function playByHand(hand, { hold, clicks, drag }) {
    for (const at of clicks ?? []) { await hand.down(...at); await hand.up(); }
    if (!hold && !drag) return undefined;
    await hand.down(...(hold ?? drag[0]));
    if (drag) await hand.move(...drag[1]);
    return () => hand.up();
}
// @return what lets the last key go
export async function playByKeys(tab, { keys }) {
    await tab.focus('#stage');
    for (const key of keys.slice(0, -1)) await tab.keyboard.press(key, { delay: 60 });
    await tab.keyboard.down(keys.at(-1));
    return () => tab.keyboard.up(keys.at(-1));
}
