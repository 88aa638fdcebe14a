// SPDX-License-Identifier: MIT
// The page for everyone: names, roles, contrast and order of focus, by axe-core and by the tab key.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { launch, open, visit } from './browser.mjs';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser, tab;
before(async () => {
    // the page's own policy lets nothing else in
    browser = await launch({ unseen: true, size: { width: 1280, height: 800 }, bypassCSP: true });
    ({ tab } = browser);
    await open(tab, 'wineglass');
    await tab.evaluate(axe);
});
after(() => browser.close());

const complaints = () => tab.evaluate(async () => (await axe.run(document, { resultTypes: ['violations'] })).violations
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 120)} ${failureSummary}`)));

for (const theme of ['dark', 'light'])
    test(`nothing is in anyone's way, in ${theme} colours`, async () => {
        await tab.evaluate((theme) => twang.app.setTheme(theme), theme);
        for (const hash of ['wineglass', 'strike', 'grab', 'rod', 'rod?variant=1', 'bounce', 'render']) {
            await visit(tab, hash);
            assert.deepEqual(await complaints(), [], hash);
        }
    });

test('the tab key visits everything once, in the order one reads', async () => {
    await visit(tab, 'strike');
    await tab.evaluate(() => document.activeElement.blur());
    const visited = [];
    for (let i = 0; i < 40; i++) {
        await tab.keyboard.press('Tab');
        const at = await tab.evaluate(() => { const { activeElement: on } = document; return on === document.body ? '' : on.id || on.name || on.textContent; });
        if (visited.includes(at)) break;
        if (at) visited.push(at);
    }
    assert.deepEqual(visited, ['tab-strike', 'volume', 'record', 'share', 'theme', 'stage', 'Bowl', 'Mug', 'Plate', 'Bar', 'Figure', 'As it is', 'Felt', 'Nail', 'Giant',
        'Wooden', 'Endless', 'material', 'size', 'ring', 'hardness', 'hammer']);
});

test('arrows go from tab to tab, and the bench follows', async () => {
    await visit(tab, 'wineglass');
    await tab.focus('#tab-wineglass');
    await tab.keyboard.press('ArrowRight');
    assert.equal(await tab.evaluate(() => twang.app.spec.id), 'strike');
    await tab.keyboard.press('End');
    assert.equal(await tab.evaluate(() => `${twang.app.spec.id} ${document.activeElement.id}`), 'render tab-render');
    await tab.keyboard.press('ArrowRight');
    assert.equal(await tab.evaluate(() => twang.app.spec.id), 'wineglass');
});
