// SPDX-License-Identifier: MIT
// The page from a static host, as strict as the page's own policy allows: no other origin, isolated, nothing sniffed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { heard, launch, mouse, open, sounding } from './browser.mjs';
import { page as file } from './built.mjs';

test('it works from a strict static host, and asks it for nothing but itself', async () => {
    const html = readFileSync(file), policy = html.toString().match(/Content-Security-Policy" content="([^"]+)"/)[1], asked = [];
    assert.match(policy, /^default-src 'none'/);
    const server = createServer((request, response) => {
        asked.push(request.url);
        response.writeHead(request.url === '/' ? 200 : 404, {
            'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy, 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'no-referrer',
            'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp', 'X-Frame-Options': 'DENY',
        });
        response.end(request.url === '/' ? html : '');
    });
    await new Promise((done) => server.listen(0, '127.0.0.1', done));
    const browser = await launch({ unseen: true, size: { width: 640, height: 420 } });
    try {
        const { tab, said } = browser;
        await open(tab, '', `http://127.0.0.1:${server.address().port}/#strike`);
        const hand = await mouse(tab);
        await hand.down(0.5, 0.45);
        await sounding(tab);
        assert.ok(await heard(tab) > 0);
        await hand.up();
        assert.deepEqual(said, []);
        assert.deepEqual(asked, ['/']);
    } finally {
        await browser.close();
        server.closeAllConnections();
        server.close();
    }
});
