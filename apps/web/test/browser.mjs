// SPDX-License-Identifier: MIT
// Chromium for the tests: the page from disk, hands on it, what it says, sounds and looks like.
import { chromium } from 'playwright-core';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { page, pictures } from './built.mjs';

export const PATIENCE = 120000;  // machines that are busy take their time [ms]
const AUDIBLE = 1e-3;
const FREE_SOUND = '--autoplay-policy=no-user-gesture-required';
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync'];
const SEEN = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader'], UNSEEN = ['--disable-3d-apis'];
// Chromium on software pictures, of screenshots; no word of the page's
const CHATTER = /ReadPixels|GPU stall/;

// Options: unseen (no WebGL, which is much faster where there is no graphics card), init (a script that runs before the page's own), size,
// denied (no sound before a click), and what playwright knows. With TWANG_UNSEEN=1 in the environment nothing is drawn anywhere.
export async function launch({ unseen, init, denied, size = { width: 1280, height: 800 }, ...rest } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'twang-web-'));
    const context = await chromium.launchPersistentContext(folder, {
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: false, viewport: size, colorScheme: 'dark',
        args: [...flags, ...(unseen || process.env.TWANG_UNSEEN ? UNSEEN : SEEN), ...(denied ? [] : [FREE_SOUND])], ...rest,
    });
    const tab = context.pages()[0] ?? await context.newPage(), said = [];
    tab.setDefaultTimeout(PATIENCE);
    tab.on('console', (message) => { if (['error', 'warning'].includes(message.type()) && !CHATTER.test(message.text())) said.push(message.text()); });
    tab.on('pageerror', (error) => said.push(String(error)));
    if (init) await tab.addInitScript(init);
    const close = async () => { await context.close(); rmSync(folder, { recursive: true, force: true }); };
    return { tab, said, close, context, folder };
}

export const address = (hash = '') => pathToFileURL(page).href + hash;

// the page is there, with a bench that can be touched
export async function open(tab, hash, at = address(`#${hash}`)) {
    await tab.goto('about:blank');
    await tab.goto(at);
    await ready(tab);
}
// another address in the same page
export async function visit(tab, hash) {
    await tab.evaluate((hash) => { location.hash = hash; dispatchEvent(new Event('hashchange')); }, hash);
    await ready(tab);
}
export async function ready(tab) {
    await tab.waitForFunction(() => window.twang?.app.view);
    await tab.evaluate(() => twang.app.parts);
    await tab.waitForFunction(() => !twang.app.variant.model || twang.app.view.body || twang.app.view.mesh);
}

export async function shoot(tab, name) {
    mkdirSync(pictures, { recursive: true });
    await tab.screenshot({ path: join(pictures, `${name}.png`) });
}

// ---- hands: x, y in the unit square of the stage, y up ----

async function places(tab) {
    const box = await (await tab.$('#stage')).boundingBox();
    return (x, y) => [box.x + x * box.width, box.y + (1 - y) * box.height];
}
export async function mouse(tab) {
    const at = await places(tab);
    return {
        down: async (x, y) => { await tab.mouse.move(...at(x, y)); await tab.mouse.down(); },
        move: (x, y) => tab.mouse.move(...at(x, y), { steps: 4 }),
        up: () => tab.mouse.up(),
    };
}
export async function finger(tab, context) {
    const at = await places(tab), devtools = await context.newCDPSession(tab);
    const send = (type, ...points) => devtools.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y]) => ({ x, y })) });
    return {
        down: (x, y) => send('touchStart', at(x, y)),
        move: (x, y) => send('touchMove', at(x, y)),
        up: () => send('touchEnd'),
    };
}

// ---- ears ----

export const sounding = (tab) => tab.waitForFunction(() => twang.app.sound.state === 'running' && twang.app.sound.bench);

// waits for something to be heard, by the page's own analyser; @return the loudest sample until then
export const heard = (tab, seconds = 30) => tab.evaluate(async ({ seconds, AUDIBLE }) => {
    const end = performance.now() + 1000 * seconds;
    let most = 0;
    while (performance.now() < end && !(most > AUDIBLE)) {
        const { analyser } = twang.app.sound, samples = new Float32Array(analyser?.fftSize ?? 0);
        analyser?.getFloatTimeDomainData(samples);
        most = samples.reduce((a, b) => Math.max(a, Math.abs(b)), most);
        await new Promise((done) => setTimeout(done, 20));
    }
    return most;
}, { seconds, AUDIBLE });

// what a box of the page says; nothing if it is hidden
export const notice = (tab) => tab.evaluate(() => { const box = document.getElementById('notice'); return box.hidden ? '' : box.innerText; });
export const toast = (tab) => tab.evaluate(() => document.getElementById('toast').textContent);
