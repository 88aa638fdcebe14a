// SPDX-License-Identifier: MIT
// Your render: the example, what `twang render` makes, and files that are none.
import assert from 'node:assert/strict';
import { closeSync, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { heard, launch, open, shoot, toast } from './browser.mjs';
import { root } from './built.mjs';

const glb = join(root, 'build/example/scene.glb'), wav = join(root, 'build/example/ear.wav');

let browser, tab, folder;
before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'twang-files-'));
    browser = await launch({ unseen: true, size: { width: 900, height: 560 } });
    ({ tab } = browser);
});
after(async () => { await browser.close(); rmSync(folder, { recursive: true, force: true }); });

const choose = (...files) => tab.setInputFiles('#extra input[type=file]', files);
const made = (name, bytes) => { writeFileSync(join(folder, name), bytes); return join(folder, name); };
const says = (pattern) => tab.waitForFunction((source) => new RegExp(source).test(document.getElementById('toast').textContent), pattern.source);

test('the example is there, moves and sounds', async () => {
    const seen = await launch();
    try {
        await open(seen.tab, 'render');
        await shoot(seen.tab, 'render-empty');
        await seen.tab.click('#example');
        await seen.tab.waitForFunction(() => twang.app.view.now() > 1.5);
        assert.ok(await heard(seen.tab) > 0);
        await shoot(seen.tab, 'render');
        assert.deepEqual(seen.said, []);
    } finally { await seen.close(); }
});

test('a scene and its sound are in step', async () => {
    await open(tab, 'render');
    await tab.focus('#stage');
    await tab.keyboard.press('Shift');
    await choose(glb, wav);
    await tab.waitForFunction(() => twang.app.view.playing && twang.app.view.source);
    const places = () => tab.evaluate(() => { const all = []; twang.app.view.root.traverse((t) => all.push(...t.getWorldPosition(t.position.clone()).toArray())); return all; });
    const first = await places();
    await tab.waitForFunction(() => twang.app.view.now() > 0.6);
    const { gap, length, sound } = await tab.evaluate(async () => {
        const { view } = twang.app;
        await new Promise((done) => requestAnimationFrame(done));
        return { gap: view.mixer.time - view.now(), length: view.clips, sound: view.buffer.duration };
    });
    assert.ok(Math.abs(gap) < 0.2, `${gap} s apart`);
    assert.ok(Math.abs(length - sound) < 0.1, `${length} s and ${sound} s`);
    assert.notDeepEqual(await places(), first);
    // at the end it stays as it is, and can be played again
    await tab.waitForFunction(() => !twang.app.view.playing);
    await tab.evaluate(() => new Promise((done) => requestAnimationFrame(done)));
    assert.notDeepEqual(await places(), first);
    await tab.focus('#stage');
    await tab.keyboard.press('Space');
    await tab.waitForFunction(() => twang.app.view.playing && twang.app.view.now() < 1);
});

test('files are taken wherever they are dropped', async () => {
    await open(tab, 'wineglass');
    const data = await tab.evaluateHandle(([glb, wav]) => {
        const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0)), transfer = new DataTransfer();
        transfer.items.add(new File([bytes(glb)], 'scene.glb'));
        transfer.items.add(new File([bytes(wav)], 'EAR.WAV'));
        return transfer;
    }, [glb, wav].map((file) => readFileSync(file).toString('base64')));
    await tab.dispatchEvent('#panel', 'dragover', { dataTransfer: data });
    await tab.dispatchEvent('#panel', 'drop', { dataTransfer: data });
    await tab.waitForFunction(() => twang.app.spec.id === 'render' && twang.app.view.playing && twang.app.view.buffer);
});

test('files that are none are refused, and the next one is welcome', async () => {
    browser.said.length = 0;
    await open(tab, 'render');
    await choose(made('notes.txt', 'hello'));
    await says(/notes.txt is neither/);
    await choose(made('empty.glb', ''));
    await says(/empty.glb is empty/);
    await choose(made('noise.glb', Buffer.alloc(5000, 'glTF noise')));
    await says(/no readable .glb/);
    const whole = readFileSync(glb);
    await choose(made('half.glb', whole.subarray(0, whole.length / 2)));
    await says(/no readable .glb/);
    await choose(made('sound.glb', readFileSync(wav)));
    await says(/no readable .glb/);
    const huge = join(folder, 'huge.glb'), handle = openSync(huge, 'w');
    ftruncateSync(handle, 600e6);
    closeSync(handle);
    await choose(huge);
    await says(/huge.glb is larger than 400 MB/);
    await choose(made('only.wav', readFileSync(wav)));
    await says(/Now the .glb/);
    await choose(glb, made('bad.wav', 'RIFF, but not really'));
    await says(/.wav cannot be read/);
    await tab.waitForFunction(() => twang.app.view.playing && !twang.app.view.buffer);
    await choose(made('nothing.glb', emptyGlb()));
    await tab.waitForFunction(() => twang.app.view.root.children.length === 0);
    await choose(glb, wav);
    await tab.waitForFunction(() => twang.app.view.playing && twang.app.view.buffer);
    assert.deepEqual(browser.said, []);
});

test('a file that asks for others gets none: nothing leaves the page', async () => {
    await open(tab, 'render');
    const asked = [];
    tab.on('request', (request) => { if (!/^(file|data|blob):/.test(request.url())) asked.push(request.url()); });
    await choose(made('outside.glb', outsideGlb()));
    await says(/no readable .glb/);
    assert.deepEqual(asked, []);
    browser.said.length = 0;
});

// ---- small files, written by hand ----

function glbOf(json) {
    const text = Buffer.from(JSON.stringify(json)), padded = Buffer.concat([text, Buffer.alloc((4 - text.length % 4) % 4, ' ')]), head = Buffer.alloc(20);
    head.write('glTF');
    [2, 20 + padded.length, padded.length].forEach((n, i) => head.writeUInt32LE(n, 4 + 4 * i));
    head.write('JSON', 16);
    return Buffer.concat([head, padded]);
}
const asset = { version: '2.0' };
const emptyGlb = () => glbOf({ asset, scene: 0, scenes: [{ nodes: [] }] });
const outsideGlb = () => glbOf({ asset, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }], accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [0, 0, 0], max: [1, 1, 1] }],
    bufferViews: [{ buffer: 0, byteLength: 36 }], buffers: [{ byteLength: 36, uri: 'http://127.0.0.1:9/mesh.bin' }] });
