// SPDX-License-Identifier: MIT
// What the page says when something is missing, and how it goes on.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { finger, heard, launch, mouse, notice, open, shoot, sounding, visit } from './browser.mjs';

const TROUBLE = /holds the sound|is no sound|finger|could not|keep up|taken/;  // of WebGL it speaks all the time here
const small = { width: 640, height: 420 };

async function withPage(options, play) {
    const browser = await launch({ size: small, unseen: true, ...options });
    try { await play(browser); } finally { await browser.close(); }
}
async function click(tab) {
    const hand = await mouse(tab);
    await hand.down(0.5, 0.05);
    await hand.up();
}

test('a hidden page is silent, and goes on when it is seen again', () => withPage({}, async ({ tab }) => {
    await open(tab, 'wineglass');
    const hand = await mouse(tab);
    await hand.down(0.75, 0.4);
    await sounding(tab);
    const hide = (hidden) => tab.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
    await hide(true);
    await tab.waitForFunction(() => twang.app.sound.context.state === 'suspended');
    assert.equal(await tab.evaluate(() => twang.app.sound.state), 'hidden');
    await hide(false);
    await tab.waitForFunction(() => twang.app.sound.context.state === 'running' && twang.app.sound.state === 'running');
    assert.doesNotMatch(await notice(tab), TROUBLE);
    assert.ok(await heard(tab) > 0);
    await hand.up();
}));

test('without WebGL it says so, and sounds', () => withPage({}, async ({ tab }) => {
    await open(tab, 'render');
    for (const hash of ['wineglass', 'strike', 'grab', 'door', 'wheel', 'rod', 'rod?variant=1', 'bounce']) {
        await visit(tab, hash);
        assert.match(await notice(tab), /No WebGL/, hash);
    }
    await open(tab, 'wineglass');
    const hand = await mouse(tab);
    await hand.down(0.75, 0.6);
    await sounding(tab);
    assert.ok(await heard(tab) > 0);
    await shoot(tab, 'no-webgl');
    await hand.up();
}));

test('a picture that the system takes away comes back', () => withPage({ unseen: false }, async ({ tab }) => {
    await open(tab, 'wineglass');
    await tab.evaluate(() => { window.gl = twang.app.space.renderer.getContext().getExtension('WEBGL_lose_context'); gl.loseContext(); });
    await tab.waitForFunction(() => twang.app.lost);
    assert.match(await notice(tab), /taken away/);
    await tab.evaluate(() => gl.restoreContext());
    await tab.waitForFunction(() => !twang.app.lost);
    assert.doesNotMatch(await notice(tab), TROUBLE);
}));

// a context that does not start, then no device at all, then all is well
const troubled = () => {
    window.trouble = 'held';
    const Real = window.AudioContext;
    window.AudioContext = class extends Real {
        constructor(...options) {
            if (window.trouble === 'none') throw new Error('no output device');
            super(...options);
        }
        get state() { return window.trouble ? 'suspended' : super.state; }
        resume() { return window.trouble ? new Promise(() => {}) : super.resume(); }
    };
};
test('sound that is held back or missing is explained, and recovers', () => withPage({ init: troubled }, async ({ tab }) => {
    // pressing already wakes the sound, which may hide the button before it is let go
    const again = () => tab.evaluate(() => document.querySelector('#notice button').click());
    await open(tab, 'bounce');
    await click(tab);
    await tab.waitForFunction(() => twang.app.sound.state === 'blocked' && !twang.app.waking);
    assert.match(await notice(tab), /Allow sound/);
    await shoot(tab, 'blocked');
    await tab.evaluate(() => { window.trouble = 'none'; twang.app.sound.context = null; });
    await again();
    await tab.waitForFunction(() => twang.app.sound.state === 'none' && !twang.app.waking);
    assert.match(await notice(tab), /no output device.*headphones/s);
    await tab.evaluate(() => { window.trouble = ''; });
    await again();
    await sounding(tab);
    assert.doesNotMatch(await notice(tab), TROUBLE);
    assert.ok(await heard(tab) > 0);
}));

test('nothing sounds before a click where the browser denies it', () => withPage({ denied: true }, async ({ tab }) => {
    await open(tab, 'bounce');
    assert.equal(await tab.evaluate(() => twang.app.sound.state), 'waiting');
    await click(tab);
    await sounding(tab);
    assert.ok(await heard(tab) > 0);
}));

test('a first touch that holds sounds when it ends, and the page says so', () => withPage({ denied: true, hasTouch: true, isMobile: true }, async ({ tab, context }) => {
    await open(tab, 'wineglass');
    const hand = await finger(tab, context);
    await hand.down(0.7, 0.4);
    await tab.waitForTimeout(2000);
    // browsers that count the touch itself sound already
    if (await tab.evaluate(() => twang.app.sound.state) === 'blocked') assert.match(await notice(tab), /Lift your finger/);
    await hand.up();
    await sounding(tab);
    assert.doesNotMatch(await notice(tab), TROUBLE);
    await hand.down(0.75, 0.4);
    assert.ok(await heard(tab) > 0);
    await hand.up();
}));

test('a bench that fails is told, and tried again', () => withPage({}, async ({ tab }) => {
    await open(tab, 'bounce');
    await click(tab);
    await sounding(tab);
    await tab.evaluate(() => twang.app.sound.dispatchEvent(new CustomEvent('failed', { detail: 'out of luck' })));
    assert.match(await notice(tab), /could not be made: out of luck/);
    const before = await tab.evaluateHandle(() => twang.app.sound.bench.node);
    await tab.click('#notice button');
    await tab.waitForFunction((before) => twang.app.sound.bench.node !== before, before);
    assert.doesNotMatch(await notice(tab), TROUBLE);
}));

test('a device that cannot keep up is told', () => withPage({}, async ({ tab }) => {
    await open(tab, 'bounce');
    await click(tab);
    await sounding(tab);
    await tab.evaluate(() => { for (let i = 0; i < 10; i++) twang.app.sound.dispatchEvent(new CustomEvent('late', { detail: 0.1 })); });
    assert.match(await notice(tab), /cannot keep up/);
    await tab.click('#notice button');
    assert.equal(await tab.evaluate(() => twang.app.slow), false);
}));
