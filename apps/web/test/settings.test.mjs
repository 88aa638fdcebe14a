// SPDX-License-Identifier: MIT
// Settings: addresses and back, whatever is in them; presets; recordings.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { address, launch, mouse, open, sounding, visit } from './browser.mjs';

let browser, tab;
before(async () => { browser = await launch({ unseen: true, size: { width: 900, height: 560 } }); ({ tab } = browser); });
after(() => browser.close());

const settings = () => tab.evaluate(() => ({
    bench: twang.app.spec.id, variant: twang.app.variant.name ?? '', values: Object.fromEntries(twang.app.sliders.parameters.map((p, i) => [p.name, twang.app.sliders.values[i]])),
}));
const hashOf = () => tab.evaluate(() => location.hash);

// every slider somewhere else, by the control itself
const moveAll = () => tab.evaluate(() => {
    document.querySelectorAll('#sliders input').forEach((input, i) => {
        input.value = 137 + 71 * i % 700;
        input.dispatchEvent(new Event('input'));
    });
    for (const select of document.querySelectorAll('#sliders select')) {
        select.selectedIndex = select.value === '0' ? 1 : 0;
        select.dispatchEvent(new Event('change'));
    }
    clearTimeout(twang.app.sharing);
    return twang.app.share(false);
});

test('an address brings back every setting of every bench, exactly', async () => {
    await open(tab, 'wineglass');
    const all = await tab.evaluate(() => twang.benches.flatMap(({ id, variants }) => (variants ?? [0]).map((_, i) => (i ? `${id}?variant=${i}` : id))));
    assert.ok(all.length >= 13);
    for (const hash of all) {
        await visit(tab, hash);
        await moveAll();
        const before = await settings(), shared = await hashOf();
        await visit(tab, 'wineglass');
        await visit(tab, shared);
        assert.deepEqual(await settings(), before, hash);
    }
});

test('presets set what they say, are marked, and are shared', async () => {
    await open(tab, 'door?pitch=1.5&noise=0.05');
    assert.deepEqual(await tab.evaluate(() => twang.app.sliders.changed()), { pitch: 1.5, noise: 0.05 });
    const marked = () => tab.evaluate(() => [...document.querySelectorAll('#presets [aria-pressed=true]')].map((b) => b.textContent));
    assert.deepEqual(await marked(), []);
    await tab.click('#presets button:nth-child(2)');
    assert.deepEqual(await marked(), ['Haunted']);
    const { pitch, noise } = await tab.evaluate(() => twang.app.sliders.changed());
    assert.equal(pitch, 0.55);
    assert.equal(noise, undefined);
    assert.match(await hashOf(), /^#door\?.*pitch=0.55/);
    await open(tab, (await hashOf()).slice(1));
    assert.deepEqual(await marked(), ['Haunted']);
});

test('every preset lies within its sliders', async () => {
    await open(tab, 'wineglass');
    const outside = await tab.evaluate(() => {
        const { benches } = JSON.parse(document.getElementById('parts').textContent).description, wrong = [];
        for (const { variants, ...spec } of twang.benches)
            for (const { engine, presets } of variants ?? [spec])
                for (const { name, values } of presets ?? [])
                    for (const [key, value] of Object.entries(values)) {
                        const p = benches[engine].find((q) => q.name === key);
                        if (!p || value < p.low || value > p.high) wrong.push(`${engine} ${name} ${key}`);
                    }
        return wrong;
    });
    assert.deepEqual(outside, []);
});

test('addresses of strangers do no harm', async () => {
    browser.said.length = 0;
    await open(tab, 'wineglass?pitch=1e300&static=-3&nonsense=1&noise=NaN&ring=Infinity&push=&press=0x&damping=<script>alert(1)</script>');
    assert.deepEqual(await tab.evaluate(() => twang.app.sliders.changed()), { pitch: 4, static: 0.05 });
    for (const variant of ['-1', '99', '0.5', '1e300', 'NaN', '__proto__', 'constructor']) {
        await visit(tab, `rod?variant=${variant}&length=1e-300`);
        assert.deepEqual(await settings().then(({ bench, variant: name, values }) => [bench, name, values.length]), ['rod', 'Rod', 0.05], variant);
        await visit(tab, `strike?variant=${variant}&material=1e9`);
        assert.equal((await settings()).values.material, 7);
    }
    for (const hash of ['', '#', '#?', '#%', '#%00', '#__proto__?x=1', '#constructor', '#<img src=x onerror=alert(1)>', '#render?variant=3', `#door?${'pitch=2&'.repeat(20000)}`])
        await visit(tab, hash);
    await open(tab, '', address('#<img src=x onerror=alert(1)>?variant=__proto__'));
    assert.equal(await tab.evaluate(() => document.querySelectorAll('img, #bench script').length), 0);
    assert.deepEqual(browser.said, []);
});

test('the address can be changed by hand while the page is open', async () => {
    await open(tab, 'wineglass');
    await tab.evaluate(() => { location.hash = '#rod?variant=1&length=4'; });
    await tab.waitForFunction(() => twang.app.spec.id === 'rod');
    assert.deepEqual(await settings().then(({ variant, values }) => [variant, values.length]), ['Slinky', 4]);
});

test('a recording is a whole WAV file of what was heard, not clipped', async () => {
    await open(tab, 'bounce');
    const hand = await mouse(tab);
    await hand.down(0.5, 0.05);
    await hand.up();
    await sounding(tab);
    // the time is that of the press itself: a busy machine takes long to ask for it
    const press = () => tab.evaluate(() => {
        document.getElementById('record').click();
        return twang.app.sound.context.currentTime;
    });
    const begin = await press();
    await tab.waitForTimeout(1500);
    const [download, end] = await Promise.all([tab.waitForEvent('download'), press()]);
    assert.equal(download.suggestedFilename(), 'twang-bounce.wav');
    const bytes = readFileSync(await download.path()), rate = bytes.readUInt32LE(24), frames = bytes.readUInt32LE(40) / 4;
    assert.equal(bytes.toString('latin1', 0, 4) + bytes.toString('latin1', 8, 12), 'RIFFWAVE');
    assert.equal(rate, await tab.evaluate(() => twang.app.sound.context.sampleRate));
    assert.equal(bytes.length, 44 + 4 * frames);
    assert.equal(bytes.readUInt32LE(4), bytes.length - 8);
    assert.ok(Math.abs(frames / rate - (end - begin)) < 0.15, `${frames / rate} s of ${end - begin} s`);
    let peak = 0;
    for (let at = 44; at < bytes.length; at += 2) peak = Math.max(peak, Math.abs(bytes.readInt16LE(at)));
    assert.ok(peak > 30 && peak <= Math.ceil(0.7 * 32767), `peak ${peak}`);
});
