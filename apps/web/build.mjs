// SPDX-License-Identifier: MIT
// Packs the playground into one HTML file: node build.mjs OUT.html WASM DESCRIPTION.json MODEL.twmodes...
import * as esbuild from 'esbuild';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const here = dirname(fileURLToPath(import.meta.url)), page = join(here, 'page');
const [out, wasm, description, ...models] = process.argv.slice(2);
if (!description) {
    console.error('usage: node build.mjs OUT.html WASM DESCRIPTION.json MODEL.twmodes...');
    process.exit(2);
}

async function bundle(entry, define = {}) {
    const result = await esbuild.build({
        entryPoints: [join(page, entry)], bundle: true, minify: true, format: 'esm', write: false, target: 'es2022',
        legalComments: 'none', define, logLevel: 'warning',
    });
    return result.outputFiles[0].text;
}

const packed = (bytes) => gzipSync(bytes, { level: 9 }).toString('base64');
const worklet = Buffer.from(await bundle('worklet.js')).toString('base64');
const parts = {
    wasm: packed(readFileSync(wasm)), worklet,
    models: Object.fromEntries(models.map((file) => [basename(file, '.twmodes'), packed(readFileSync(file))])),
    description: JSON.parse(readFileSync(description)),
};
const style = (await esbuild.build({ entryPoints: [join(page, 'style.css')], minify: true, write: false, bundle: true })).outputFiles[0].text;
const script = await bundle('main.js');

// a script in a page must not hold what ends a script
const inside = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const html = readFileSync(join(page, 'index.html'), 'utf8')
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- parts -->', () => `<script type="application/json" id="parts">${inside(JSON.stringify(parts))}</script>`)
    .replace('<!-- script -->', () => `<script type="module">${inside(script)}</script>`);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(`${out}.new`, html);
renameSync(`${out}.new`, out);
console.log(`${out}: ${(html.length / 1e6).toFixed(2)} MB`);
