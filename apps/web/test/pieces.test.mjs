// SPDX-License-Identifier: MIT
// Pieces of the page that need no browser: how numbers are written, addresses, WAV files.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readAddress, writeAddress } from '../page/address.js';
import { spell } from '../page/sliders.js';
import { wav } from '../page/wav.js';

test('numbers have three digits, and prefixes where their unit can have one', () => {
    const cases = [[6e4, 'Pa', '60 kPa'], [2e11, 'Pa', '200 GPa'], [0.001, 'm', '1 mm'], [5e-4, 'm', '500 µm'], [0.01, 'kg', '10 g'], [0.3, 'kg', '300 g'],
        [7800, 'kg/m^3', '7800 kg/m³'], [2e7, 'N/m^1.5', '20 MN/m¹·⁵'], [9.81, 'm/s^2', '9.81 m/s²'], [1.2, 'N s/m', '1.2 N s/m'], [44100, 'Hz', '44.1 kHz'],
        [1.5, '1/s', '1.5/s'], [2, 'x', '× 2'], [0.12, '', '0.12'], [0, 'N', '0 N'], [-3e-12, 'J', '-0.003 nJ'], [999.96, 'Pa', '1 kPa'], [NaN, 'N', 'NaN N'], [Infinity, 'N', 'Infinity N']];
    for (const [number, unit, text] of cases) assert.equal(spell(number, unit), text);
});

const one = { name: 'One' }, two = { name: 'Two' }, benches = [{ id: 'plain' }, { id: 'many', variants: [one, two] }];

test('an address names a bench, a variant and numbers; anything else is ignored', () => {
    assert.deepEqual(readAddress('', benches), { spec: benches[0], variant: benches[0], values: {} });
    assert.deepEqual(readAddress('#many?variant=1&a=2e-3&b=x&c=Infinity&d=', benches), { spec: benches[1], variant: two, values: { variant: 1, a: 0.002 } });
    for (const variant of ['-1', '2', '0.5', 'length', '__proto__']) assert.equal(readAddress(`#many?variant=${variant}`, benches).variant, one, variant);
    assert.equal(readAddress('#__proto__', benches).spec, benches[0]);
});

test('what is written is read', () => {
    assert.equal(writeAddress(benches[0], benches[0], {}), '#plain');
    assert.equal(writeAddress(benches[1], two, { a: 0.002 }), '#many?variant=1&a=0.002');
    assert.deepEqual(readAddress(writeAddress(benches[1], two, { a: 1e-7, b: -2e11 }), benches).values, { variant: 1, a: 1e-7, b: -2e11 });
});

test('a WAV file has its blocks one after the other, and what is too loud at the end of the scale', () => {
    const bytes = new DataView(wav([[[0, 0.5], [1, -1]], [[2], [-2]]], 44100));
    assert.equal(bytes.byteLength, 44 + 3 * 4);
    assert.equal(bytes.getUint32(24, true), 44100);
    assert.deepEqual([0, 1, 2, 3, 4, 5].map((i) => bytes.getInt16(44 + 2 * i, true)), [0, 32767, 16384, -32767, 32767, -32767]);
});
