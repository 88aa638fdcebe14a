// SPDX-License-Identifier: MIT
// Packs the playground into one HTML file: node build.mjs OUT.html WASM DESCRIPTION.json SCENE.glb SOUND.wav MODEL.twmodes...
import * as esbuild from 'esbuild';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const page = join(dirname(fileURLToPath(import.meta.url)), 'page');
const [out, wasm, description, glb, wav, ...models] = process.argv.slice(2);
if (!models.length) {
    console.error('usage: node build.mjs OUT.html WASM DESCRIPTION.json SCENE.glb SOUND.wav MODEL.twmodes...');
    process.exit(2);
}

async function bundle(entry) {
    const result = await esbuild.build({
        entryPoints: [join(page, entry)], bundle: true, minify: true, format: 'esm', write: false, target: 'es2022',
        legalComments: 'none', logLevel: 'warning',
    });
    return result.outputFiles[0].text;
}

const packed = (file) => gzipSync(readFileSync(file), { level: 9 }).toString('base64');
const parts = {
    wasm: packed(wasm),
    worklet: Buffer.from(await bundle('worklet.js')).toString('base64'),
    models: Object.fromEntries(models.map((file) => [basename(file, '.twmodes'), packed(file)])),
    example: { glb: packed(glb), wav: packed(wav) },
    description: JSON.parse(readFileSync(description)),
};
// a script in a page must not hold what ends a script
const inside = (text) => text.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
const style = await bundle('style.css'), script = inside(await bundle('main.js'));

// The page asks nobody for anything, whatever is dropped on it: only what is in it runs. `data:` is the worklet.
const hash = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
const policy = ["default-src 'none'", `script-src ${hash(script)} 'wasm-unsafe-eval' data:`, `style-src ${hash(style)}`, 'img-src data: blob:',
    'connect-src data: blob:', "base-uri 'none'", "form-action 'none'"].join('; ');

const html = readFileSync(join(page, 'index.html'), 'utf8')
    .replace('<!-- policy -->', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace('<!-- style -->', () => `<style>${style}</style>`)
    .replace('<!-- parts -->', () => `<script type="application/json" id="parts">${inside(JSON.stringify(parts))}</script>`)
    .replace('<!-- script -->', () => `<script type="module">${script}</script>`);
mkdirSync(dirname(out), { recursive: true });
writeFileSync(`${out}.new`, html);
renameSync(`${out}.new`, out);
console.log(`${out}: ${(html.length / 1e6).toFixed(2)} MB`);
