// SPDX-License-Identifier: MIT
// Chromium for the tests: the page from disk, what it says on its console, and pictures of it.
import { chromium } from 'playwright-core';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const page = process.env.TWANG_PAGE ?? join(root, 'out/playground.html');
export const pictures = join(root, 'out/web');
export const program = join(root, 'build/bin/playground');
export const models = join(root, 'build/models');

const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking',
    '--disable-component-update', '--disable-sync', '--autoplay-policy=no-user-gesture-required', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'];

// options: {flags, init, size}. init is a script that runs before the page's own.
export async function launch({ more = [], without = [], init, size = { width: 1280, height: 800 }, ...rest } = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'twang-web-'));
    const context = await chromium.launchPersistentContext(folder, {
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: false, viewport: size,
        args: [...flags.filter((flag) => !without.includes(flag)), ...more], ...rest,
    });
    const tab = context.pages()[0] ?? await context.newPage();
    const said = [];
    tab.on('console', (message) => { if (['error', 'warning'].includes(message.type())) said.push(message.text()); });
    tab.setDefaultTimeout(120000);
    tab.on('pageerror', (error) => said.push(String(error)));
    if (init) await tab.addInitScript(init);
    const close = async () => { await context.close(); rmSync(folder, { recursive: true, force: true }); };
    return { tab, said, close };
}

export const address = (hash = '') => pathToFileURL(page).href + hash;

export async function shoot(tab, name) {
    mkdirSync(pictures, { recursive: true });
    await tab.screenshot({ path: join(pictures, `${name}.png`) });
}

// the page is there, and its bench; machines that are busy take their time
export const ready = (tab) => tab.waitForFunction(() => window.twang?.app.view, null, { timeout: 120000 });
