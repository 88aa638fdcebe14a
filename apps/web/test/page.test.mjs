// SPDX-License-Identifier: MIT
// Every bench in Chromium, from disk: it loads, reacts to mouse, finger and keys, and sounds, without a word on the console. Pictures go to
// out/web/.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { finger, heard, launch, mouse, notice, open, shoot, sounding, visit } from './browser.mjs';
import { page as file } from './built.mjs';
import { playByHand, playByKeys, plays } from './plays.mjs';

const nameOf = (hash) => hash.replace(/\W+/g, '-');

let desk, phone, plain;
before(async () => {
    desk = await launch();
    phone = await launch({ size: { width: 390, height: 844 }, hasTouch: true, isMobile: true });
    plain = await launch({ unseen: true, size: { width: 900, height: 560 } });
});
after(async () => { for (const browser of [desk, phone, plain]) await browser.close(); });

async function isPlayed({ tab, said }, hash, play) {
    said.length = 0;
    await open(tab, hash);
    const release = await play();
    await sounding(tab);
    await tab.waitForFunction(plays[hash].noticed);
    assert.ok(await heard(tab) > 0, 'nothing is heard');
    return async (picture) => {
        if (picture) await shoot(tab, picture);
        await release?.();
        assert.match(await notice(tab), /^(No WebGL.*)?$/);
        assert.deepEqual(said, []);
        await tab.goto('about:blank');  // it would go on drawing
    };
}

for (const [hash, play] of Object.entries(plays)) {
    test(`${hash}: a mouse plays it`, async () => {
        const { tab } = desk;
        const end = await isPlayed(desk, hash, async () => playByHand(await mouse(tab), play));
        await tab.waitForTimeout(1200);
        await end(nameOf(hash));
    });
    test(`${hash}: keys play it`, async () => (await isPlayed(plain, hash, () => playByKeys(plain.tab, play)))());
    test(`${hash}: a finger plays it`, async () => {
        const { tab, context } = phone;
        const end = await isPlayed(phone, hash, async () => playByHand(await finger(tab, context), play));
        await tab.waitForTimeout(600);
        await end(`phone-${nameOf(hash)}`);
    });
}

test('a picture changes with the pointer', async () => {
    const { tab } = plain;
    await open(tab, 'wineglass');
    const hand = await mouse(tab);
    await hand.down(0.9, 0.3);
    await tab.waitForFunction(() => twang.app.view.state.pairs[0]?.normal > 0.3);
    const before = await tab.evaluate(() => twang.app.view.state.pairs[0].normal);
    await hand.move(0.9, 0.9);
    await tab.waitForFunction((before) => twang.app.view.state.pairs[0].normal > 2 * before, before);
    await hand.up();
    await tab.waitForFunction(() => twang.app.view.state.pairs[0].normal === 0);
});

test('a key that goes up elsewhere, or with the page left, does not stay down', async () => {
    const { tab } = plain, touches = () => twang.app.view.state.pairs[0]?.normal > 0, lets = () => twang.app.view.state.pairs[0]?.normal === 0;
    await open(tab, 'wineglass');
    await tab.focus('#stage');
    await tab.keyboard.down('Space');
    await tab.waitForFunction(touches);
    await tab.focus('#share');
    await tab.keyboard.up('Space');
    await tab.waitForFunction(lets);
    await tab.focus('#stage');
    await tab.keyboard.down('Space');
    await tab.waitForFunction(touches);
    await tab.evaluate(() => dispatchEvent(new Event('blur')));
    await tab.waitForFunction(lets);
    await tab.keyboard.up('Space');
});

test('reduced motion stops what only shimmers, and the page plays on', async () => {
    const { tab } = plain;
    await tab.emulateMedia({ reducedMotion: 'reduce' });
    try {
        await open(tab, 'strike');
        const hand = await mouse(tab);
        await hand.down(0.5, 0.45);
        await sounding(tab);
        await hand.up();
        await hand.down(0.52, 0.45);
        await hand.up();
        await tab.waitForFunction(() => twang.app.view.blow > 0);
        assert.ok(await heard(tab) > 0);
        const moved = await tab.evaluate(() => {
            const { places, set } = twang.app.view.body;
            return places.reduce((most, x, i) => Math.max(most, Math.abs(x - Math.fround(set.vertices[i]))), 0);
        });
        assert.equal(moved, 0);
        assert.equal(await tab.evaluate(() => getComputedStyle(document.getElementById('toast')).transitionDuration), '0s');
    } finally { await tab.emulateMedia({ reducedMotion: null }); }
});

// what lies over what, of all that is written on the stage; and whether the page is wider than its window
const mess = (tab) => tab.evaluate(() => {
    const inked = (thing) => { const text = document.createRange(); text.selectNodeContents(thing); return text.getBoundingClientRect(); };
    const things = [...document.querySelectorAll('#title, #tagline, #hint, #extra button, #extra input[type=range], #notice')]
        .map((thing) => [thing.id || thing.textContent, thing.matches('#title, #tagline') ? inked(thing) : thing.getBoundingClientRect()]).filter(([, box]) => box.width > 1);
    const over = (a, b) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1;
    const all = things.flatMap(([name, a], i) => things.slice(i + 1).filter(([, b]) => over(a, b)).map(([other]) => `${name} and ${other}`));
    const { scrollWidth, clientWidth } = document.documentElement;
    return scrollWidth > clientWidth ? [...all, 'too wide'] : all;
});
test('nothing lies over what is written, and no bench is wider than its window', async () => {
    const { tab } = plain;
    await open(tab, 'wineglass');
    try {
        for (const width of [240, 320, 390, 700, 860, 861, 1280]) {
            await tab.setViewportSize({ width, height: 720 });
            for (const hash of [...Object.keys(plays), 'render']) {
                await visit(tab, hash);
                assert.deepEqual(await mess(tab), [], `${hash}, ${width} pixels`);
            }
        }
    } finally { await tab.setViewportSize({ width: 900, height: 560 }); }
});

test('the page is under 5 MB', () => assert.ok(statSync(file).size < 5e6));
