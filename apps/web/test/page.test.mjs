// SPDX-License-Identifier: MIT
// The page in Chromium, from disk: every bench loads, reacts to hands and sounds, without a word on the console; and what it says when
// something is missing. Pictures go to out/web/.
import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { address, launch, page as file, ready, shoot } from './browser.mjs';

// the loudest sample of the next moments, by the page's own analyser
const loudest = (tab, seconds) => tab.evaluate(async (seconds) => {
    const { analyser } = twang.app.sound, samples = new Float32Array(analyser.fftSize), end = performance.now() + 1000 * seconds;
    let most = 0;
    while (performance.now() < end) {
        analyser.getFloatTimeDomainData(samples);
        most = samples.reduce((a, b) => Math.max(a, Math.abs(b)), most);
        await new Promise((done) => setTimeout(done, 20));
    }
    return most;
}, seconds);

async function hands(tab) {
    const box = await (await tab.$('#stage')).boundingBox(), at = (x, y) => [box.x + x * box.width, box.y + (1 - y) * box.height];
    return {
        down: async (x, y) => { await tab.mouse.move(...at(x, y)); await tab.mouse.down(); },
        move: (x, y) => tab.mouse.move(...at(x, y), { steps: 4 }),
        up: () => tab.mouse.up(),
        wait: (ms) => tab.waitForTimeout(ms),
        sounding: () => tab.waitForFunction(() => twang.app.sound.bench),
    };
}

async function open(tab, hash) {
    await tab.goto('about:blank');
    await tab.goto(address(`#${hash}`));
    await ready(tab);
    await tab.evaluate(() => twang.app.parts);
}

const shut = (tab) => tab.evaluate(() => document.getElementById('notice').hidden);
const said = (tab) => tab.evaluate(() => { const box = document.getElementById('notice'); return box.hidden ? '' : box.innerText; });

// ---- every bench ----

const benches = {
    wineglass: async (h) => { await h.down(0.75, 0.4); await h.sounding(); await h.wait(500); },
    strike: async (h, tab) => { await tab.waitForFunction(() => twang.app.view.body); await h.down(0.5, 0.45); await h.sounding(); await h.up(); await h.down(0.52, 0.45); },
    grab: async (h, tab) => {
        await tab.waitForFunction(() => twang.app.view.mesh);
        await h.down(0.5, 0.9); await h.up();
        await h.sounding();
        await tab.waitForFunction(() => twang.app.view.energy !== undefined);
        await tab.keyboard.press('Space');
    },
    door: async (h) => { await h.down(0.7, 0.45); await h.sounding(); await h.wait(300); },
    wheel: async (h) => { await h.down(0.9, 0.01); await h.sounding(); await h.wait(1500); },
    rod: async (h) => { await h.down(0.7, 0.5); await h.sounding(); await h.move(0.68, 0.62); await h.wait(300); await h.up(); },
    'rod?variant=1': async (h) => { await h.down(0.3, 0.5); await h.sounding(); await h.up(); },
    bounce: async (h) => { await h.down(0.5, 0.05); await h.sounding(); await h.up(); },
};

let browser;
before(async () => { browser = await launch({ size: { width: 900, height: 560 }, colorScheme: 'dark' }); });
after(() => browser.close());

for (const [hash, play] of Object.entries(benches)) {
    test(`${hash}: loads, reacts and sounds`, async () => {
        const { tab } = browser;
        browser.said.length = 0;
        await open(tab, hash);
        const h = await hands(tab);
        await play(h, tab);
        await tab.waitForFunction(() => twang.app.sound.state === 'running');
        const level = await loudest(tab, 2);
        await shoot(tab, hash.replace(/\W+/g, '-'));
        await h.up();
        assert.ok(level > 1e-3, `loudest sample ${level}`);
        assert.deepEqual(browser.said.filter((text) => !/ReadPixels/.test(text)), []);
    });
}

test('a picture changes with the pointer', async () => {
    const { tab } = browser;
    await open(tab, 'wineglass');
    const h = await hands(tab);
    await h.down(0.9, 0.3);
    await tab.waitForFunction(() => twang.app.view.state.pairs[0]?.normal > 0.3);
    const before = await tab.evaluate(() => twang.app.view.state.pairs[0].normal);
    await h.move(0.9, 0.9);
    await tab.waitForFunction((before) => twang.app.view.state.pairs[0].normal > 2 * before, before);
    await h.up();
    await tab.waitForFunction(() => twang.app.view.state.pairs[0].normal === 0);
});

test('keys play too', async () => {
    const { tab } = browser;
    await open(tab, 'wineglass');
    await tab.focus('#stage');
    await tab.keyboard.down('Space');
    for (let i = 0; i < 8; i++) await tab.keyboard.press('ArrowRight');
    await tab.waitForFunction(() => twang.app.view.state.pairs[0]?.normal > 0.5);
    await tab.keyboard.up('Space');
    await tab.waitForFunction(() => twang.app.view.state.pairs[0].normal === 0);
});

test('settings are shared by address, and presets set them', async () => {
    const { tab } = browser;
    await open(tab, 'door?pitch=1.5&noise=0.05');
    assert.deepEqual(await tab.evaluate(() => twang.app.sliders.changed()), { pitch: 1.5, noise: 0.05 });
    await tab.click('#presets button:nth-child(2)');
    const changed = await tab.evaluate(() => twang.app.sliders.changed());
    assert.ok(changed.pitch < 1 && !('noise' in changed));
    assert.match(await tab.evaluate(() => location.hash), /^#door\?.*pitch=0.55/);
    await open(tab, 'wineglass?pitch=1e9&static=-3&nonsense=1&noise=NaN');
    assert.deepEqual(await tab.evaluate(() => twang.app.sliders.changed()), { pitch: 4, static: 0.05 });
});

test('a recording is a WAV file of what was heard', async () => {
    const { tab } = browser;
    await open(tab, 'bounce');
    const h = await hands(tab);
    await h.down(0.5, 0.05);
    await h.up();
    await h.sounding();
    await tab.click('#record');
    await h.wait(1200);
    const [download] = await Promise.all([tab.waitForEvent('download'), tab.click('#record')]);
    assert.equal(download.suggestedFilename(), 'twang-bounce.wav');
    const { readFileSync } = await import('node:fs');
    const bytes = readFileSync(await download.path()), rate = bytes.readUInt32LE(24), frames = bytes.readUInt32LE(40) / 4;
    assert.equal(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12), 'RIFFWAVE');
    assert.equal(bytes.length, 44 + 4 * frames);
    assert.ok(frames > 0.5 * rate, `${frames} frames`);
    let peak = 0;
    for (let at = 44; at < bytes.length; at += 2) peak = Math.max(peak, Math.abs(bytes.readInt16LE(at)));
    assert.ok(peak > 30 && peak <= 0.7 * 32768, `peak ${peak}`);
});

test('a hidden page is silent, and goes on when it is seen again', async () => {
    const { tab } = browser;
    await open(tab, 'wineglass');
    const h = await hands(tab);
    await h.down(0.75, 0.4);
    await h.sounding();
    const hide = (hidden) => tab.evaluate((hidden) => {
        Object.defineProperty(document, 'hidden', { configurable: true, get: () => hidden });
        document.dispatchEvent(new Event('visibilitychange'));
    }, hidden);
    await hide(true);
    await tab.waitForFunction(() => twang.app.sound.context.state === 'suspended');
    assert.equal(await tab.evaluate(() => twang.app.sound.state), 'hidden');
    await hide(false);
    await tab.waitForFunction(() => twang.app.sound.context.state === 'running' && twang.app.sound.state === 'running');
    assert.ok(await shut(tab));
    await h.up();
});

test('the page is under 5 MB', () => assert.ok(statSync(file).size < 5e6));

// ---- what is missing ----

test('without WebGL it says so, and sounds', async () => {
    const other = await launch({ size: { width: 640, height: 420 }, more: ['--disable-3d-apis'], without: ['--enable-unsafe-swiftshader', '--use-angle=swiftshader'] });
    try {
        await open(other.tab, 'wineglass');
        assert.match(await said(other.tab), /No WebGL/);
        const h = await hands(other.tab);
        await h.down(0.75, 0.6);
        await h.sounding();
        assert.ok(await loudest(other.tab, 1.5) > 1e-3);
        await shoot(other.tab, 'no-webgl');
    } finally { await other.close(); }
});

test('sound that is held back or missing is explained, and recovers', async () => {
    // a context that does not start, then no device at all, then all is well
    const init = () => {
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
    const other = await launch({ size: { width: 640, height: 420 }, init });
    try {
        const { tab } = other, h = () => hands(tab);
        // pressing already wakes the sound, which may hide the button before it is let go
        const again = () => tab.evaluate(() => document.querySelector('#notice button').click());
        await open(tab, 'bounce');
        await (await h()).down(0.5, 0.05);
        await (await h()).up();
        await tab.waitForFunction(() => twang.app.sound.state === 'blocked');
        assert.match(await said(tab), /Allow sound/);
        await tab.evaluate(() => { window.trouble = 'none'; twang.app.sound.context = null; });
        await again();
        await tab.waitForFunction(() => twang.app.sound.state === 'none');
        assert.match(await said(tab), /no output device.*headphones/s);
        await tab.evaluate(() => { window.trouble = ''; });
        await again();
        await tab.waitForFunction(() => twang.app.sound.state === 'running');
        assert.ok(await shut(tab));
        assert.ok(await loudest(tab, 1.5) > 1e-3);
    } finally { await other.close(); }
});

test('nothing sounds before a click where the browser denies it, and touch works', async () => {
    const other = await launch({ size: { width: 390, height: 760 }, hasTouch: true, isMobile: false, without: ['--autoplay-policy=no-user-gesture-required'] });
    try {
        const { tab } = other;
        await open(tab, 'bounce');
        assert.equal(await tab.evaluate(() => twang.app.sound.state), 'waiting');
        const box = await (await tab.$('#stage')).boundingBox();
        await tab.touchscreen.tap(box.x + box.width / 2, box.y + box.height * 0.95);
        await tab.waitForFunction(() => twang.app.sound.state === 'running' && twang.app.sound.bench);
        assert.ok(await loudest(tab, 1.5) > 1e-3);
        await shoot(tab, 'phone');
    } finally { await other.close(); }
});
