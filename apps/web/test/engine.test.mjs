// SPDX-License-Identifier: MIT
// The benches under node, whatever is done to them: every sample is finite and within the limit, what is let go loses energy, a bench
// always comes back, and sliders that move while it sounds do not click.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CEILING, benches, dice, listen, make, peak } from './benches.mjs';

const kinds = [['wineglass'], ['door'], ['wheel'], ['strike', 'mug'], ['strike', 'bowl'], ['strike', 'plate'], ['strike', 'bar'], ['strike', 'figure'],
    ['grab', 'toy+board'], ['rod'], ['wire'], ['bounce']];
const COSTLY = { rod: 6, grab: 6 };  // these take fewer tries
const TRIES = 24;

// what makes each bench sound
const play = {
    wineglass: (engine) => engine.act('down', 0.75, 0.4),
    door: (engine) => engine.act('down', 0.7, 0.45),
    wheel: (engine) => engine.act('down', 0.8, 0.3),
    strike: (engine) => engine.act('hit', 40, 2),
    grab: (engine) => engine.act('reset'),
    rod: (engine) => engine.act('hit', 8, 0, 0, -5),
    wire: (engine) => engine.act('hit', 0.3, 2),
    bounce: (engine) => { engine.act('hit', -1); engine.act('reset'); },
};
const calm = (engine, name) => {
    engine.act('up');
    benches[name].forEach((p, i) => engine.set(i, p.start));
};

function isSane(engine, samples, what) {
    const most = peak(samples);
    assert.ok(most <= CEILING, `${what}: a sample of ${most}`);
    assert.equal(engine.wasm.bad_samples(), 0, what);
    assert.ok(engine.picture().every((x) => !Number.isNaN(x)), `${what}: a picture with what is no number`);
}

// ---- corners of all sliders, and hostile hands ----

for (const [name, model] of kinds) {
    test(`${name} ${model ?? ''}: corners of all sliders are finite and limited`, () => {
        const roll = dice(7), tries = COSTLY[name] ?? TRIES;
        for (let i = 0; i < tries; i++) {
            const values = Object.fromEntries(benches[name].map((p) => [p.name, roll() < 0.5 ? p.low : p.high]));
            const engine = make(name, values, model);
            play[name](engine);
            isSane(engine, listen(engine, 0.1), JSON.stringify(values));
            engine.act('up');
            isSane(engine, listen(engine, 0.1), JSON.stringify(values));
        }
    });

    test(`${name} ${model ?? ''}: comes back from anything that hands and sliders do`, () => {
        const roll = dice(11), engine = make(name, {}, model), parameters = benches[name];
        const wild = () => [NaN, Infinity, -1, 0, 1e300, -1e300, 1e-300, roll(), 20 * roll(), 300 * roll(), roll() - 0.5][Math.floor(11 * roll())];
        const actions = ['down', 'move', 'up', 'hit', 'reset'];
        for (let i = 0; i < 60; i++) {
            const which = Math.floor(roll() * (parameters.length + 2)) - 1;  // also ones that are not there
            engine.set(which, parameters[which] && roll() < 0.7 ? parameters[which].low + roll() * (parameters[which].high - parameters[which].low) : wild());
            engine.act(actions[Math.floor(5 * roll())], ...Array.from({ length: Math.floor(9 * roll()) }, wild));
            isSane(engine, listen(engine, 0.02), `step ${i}`);
        }
        calm(engine, name);
        listen(engine, 0.5);
        play[name](engine);
        const again = listen(engine, 1.5);
        isSane(engine, again, 'afterwards');
        assert.ok(peak(again) > 1e-3, `it stays silent: ${peak(again)}`);
    });
}

test('a bench that is asked for nonsense says so', () => {
    assert.throws(() => make('wineglass', {}, 'mug').create('nonsense', 48000), /no bench 'nonsense'/);
    assert.throws(() => make('bounce').create('bounce', NaN), /outside 8000/);
    assert.throws(() => make('strike'), /needs 1 \.twmodes files/);
});

// ---- energy: what is let go never gains any ----

const passive = {
    // kinetic and elastic
    rod: { seconds: 1, energy: (picture) => picture[2], values: [{}, { damping: 0.1, loss: 1e-5 }, { ends: 1, length: 0.2 }, { ends: 1, length: 0.6, thickness: 5e-4, width: 5e-4, tension: 30, damping: 0.1 },
        { young: 1e6, density: 200, ends: 1, tension: 200 }, { young: 1e6, density: 9000, thickness: 0.01, width: 0.05, damping: 0.1 }],
    bend: (engine, { length = 0.09 }) => { engine.act('down', 6, length * 6 / 11, 0, 0); engine.act('move', length * 6 / 11, 0, 0.3 * length); } },
    grab: { model: 'toy+board', seconds: 1, energy: (picture) => picture[8], values: [{ gravity: 0 }, { gravity: 0, loss: 1e-4 }, { gravity: 0, young: 1e9, loss: 1e-4 }, { gravity: 0, young: 1e4, bounce: 1 }],
        bend: (engine) => { engine.act('down', 3, 5, 9, 1, 1, 1); engine.act('move', 0.05, 0.02, 0.25); } },
    // of all modes
    strike: { model: 'bowl', seconds: 0.5, values: [{}, { ring: 10 }, { ring: 10, size: 0.25, hardness: 1e10, hammer: 0.3 }], bend: (engine) => engine.act('hit', 40, 2),
        energy: (picture) => { const n = (picture.length - 2) / 2; return Array.from({ length: n }, (_, k) => (picture[2 + k] * picture[2 + n + k]) ** 2).reduce((a, b) => a + b); } },
};
for (const [name, { values, model, seconds, energy, bend }] of Object.entries(passive)) {
    test(`${name}: what is let go only loses energy`, () => {
        for (const given of values) {
            const engine = make(name, given, model), told = JSON.stringify(given);
            bend(engine, given);
            listen(engine, 0.25);
            engine.act('up');
            listen(engine, 0.05);
            let last = energy(engine.picture());
            const first = last;
            assert.ok(first > 0, `${told}: nothing moves`);
            for (let i = 0; i < seconds / 0.05; i++) {
                listen(engine, 0.05);
                const now = energy(engine.picture());
                assert.ok(now <= last + 1e-3 * first, `${told}: from ${last} to ${now} of ${first}`);
                last = now;
            }
        }
    });
}

// ---- sleep: what lies still takes nothing, until it is touched ----

// exactly silent: it is not computed
for (const [what, given] of [['jelly', {}], ['bronze', { young: 1e11, loss: 5e-4, density: 8000, bounce: 0.4 }]])
    test(`${what} that lies still sleeps, and wakes`, () => {
        const engine = make('grab', given, 'toy+board');
        listen(engine, 6);
        const before = engine.picture();
        assert.equal(peak(listen(engine, 0.5)), 0);
        assert.deepEqual(engine.picture().slice(10), before.slice(10), 'it moves');
        engine.act('hit', 30, 0.1, 0, 0.5);
        assert.ok(peak(listen(engine, 0.5)) > 1e-4, 'it does not wake');
        assert.notDeepEqual(engine.picture().slice(10), before.slice(10), 'it does not move');
    });

// ---- sliders that move while it sounds ----

// The strongest corner of the wave, of its level: a click is one that was not there before. Corners grow with the square of the pitch,
// and a grip that changes at once is heard as that.
const corner = (samples) => samples.reduce((most, x, i) => (i < 2 ? 0 : Math.max(most, Math.abs(x - 2 * samples[i - 1] + samples[i - 2]))), 0);
const CLICK = 0.1, PITCH = ['pitch', 'size', 'material'], QUICKER = 8;

for (const [name, model] of kinds.filter(([kind, body]) => !['bounce', 'grab', 'rod'].includes(kind) && (!body || body === 'bowl'))) {
    test(`${name}: sliders do not click while it rings`, () => {
        benches[name].forEach((p, i) => {
            if (p.rebuild) return;
            for (const to of [0.4, 0.6].map((share) => (p.log ? p.low * (p.high / p.low) ** share : p.low + share * (p.high - p.low)))) {
                const still = make(name, {}, model), moved = make(name, {}, model);
                for (const engine of [still, moved]) {
                    play[name](engine);
                    listen(engine, 0.6);
                    engine.act('up');
                    listen(engine, 0.3);
                }
                moved.set(i, to);
                const a = listen(still, 0.01), b = listen(moved, 0.01);
                const most = (PITCH.includes(p.name) ? QUICKER : 1.3) * corner(a) + CLICK * peak(a);
                assert.ok(corner(b) <= most, `${p.name} to ${to}: ${corner(b)}, without ${corner(a)}, level ${peak(a)}`);
            }
        });
    });
}
