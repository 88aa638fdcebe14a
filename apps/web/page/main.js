// SPDX-License-Identifier: MIT
// The page: which bench is on, its sliders and presets, hands, sound, and what to say when something is missing.
import { readAddress, writeAddress } from './address.js';
import { Sound, benchNode, load, unpack } from './audio.js';
import { Hands } from './hands.js';
import { Ink } from './ink.js';
import { Scope } from './scope.js';
import { Sliders } from './sliders.js';
import { Space } from './space.js';
import { Tabs } from './tabs.js';
import { benches } from './benches/index.js';

const $ = (id) => document.getElementById(id);
const packed = JSON.parse($('parts').textContent);
const still = matchMedia('(prefers-reduced-motion: reduce)');
const store = {
    get: (key) => { try { return localStorage.getItem(`twang-${key}`); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(`twang-${key}`, value); } catch { /* a page from disk may have none */ } },
};
const WAITING = 64;             // things done before there is sound, at most
const LATES = 8, SPELL = 5000;  // interruptions within this time [ms] that are too many
const SETTLE = 120;             // a bench is made anew when a slider has rested so long [ms]

const clamp = (p, v) => Math.min(Math.max(v, p.low), p.high);

function button(text, onclick, pressed) {
    const made = Object.assign(document.createElement('button'), { textContent: text, onclick });
    made.setAttribute('aria-pressed', pressed);
    return made;
}

class App {
    constructor() {
        this.sound = new Sound();
        this.space = new Space($('view'));
        this.ink = new Ink($('ink'));
        this.scope = new Scope($('scope'));
        this.sliders = new Sliders($('sliders'), (i, v, p) => this.changed(i, v, p));
        this.waiting = [];
        this.late = 0;
        this.lates = [];
    }

    // ---- benches ----

    open({ spec, variant, values }) {
        this.view?.close?.();
        Object.assign(this, { spec, variant });
        this.tabs.show(spec.id);
        $('bench').setAttribute('aria-labelledby', `tab-${spec.id}`);
        $('hint').classList.remove('done');
        document.title = `${spec.title} · Twang playground`;
        this.start(values);
        this.check();
    }
    openBy(id) {
        this.open(readAddress(`#${id}`, benches));
        this.share(false);
    }

    start(given) {
        const { variant } = this, parameters = variant.engine ? packed.description.benches[variant.engine] : [];
        const own = parameters.map((p) => ({ ...p, start: variant.start?.[p.name] ?? p.start }));
        this.sliders.show(own, own.map((p) => clamp(p, given[p.name] ?? p.start)), variant.choices);
        this.describe({ ...this.spec, ...variant });
        this.showChooser();
        this.showPresets();
        this.waiting = [];
        this.failure = null;
        this.space.clear();
        this.view = new this.spec.View(this.hand(), variant);
        this.hands.attach(this.view);
        this.build();
    }

    describe({ title, tagline, hint, about, keys }) {
        for (const [id, text] of Object.entries({ title, tagline, hint, keys })) $(id).textContent = text;
        $('about').innerHTML = about;
        $('stage').setAttribute('aria-label', `${title}. ${keys}`);
        $('extra').replaceChildren();
    }

    // what a view may use
    hand() {
        return {
            space: this.space, ink: this.ink, extra: $('extra'), stage: $('stage'), still: still.matches, sound: this.sound,
            act: (...action) => this.act(...action),
            value: (name) => this.sliders.values[this.sliders.parameters.findIndex((p) => p.name === name)],
            model: async () => (await this.parts).model(this.variant.model),
            toast: (text) => this.toast(text),
            used: () => $('hint').classList.add('done'),
            example: async () => ({ glb: await unpack(packed.example.glb, true), wav: await unpack(packed.example.wav, true) }),
        };
    }

    showChooser() {
        $('chooser').replaceChildren(...(this.spec.variants ?? []).map((variant) => button(variant.name, () => {
            this.view.close?.();
            this.variant = variant;
            this.start({});
            this.share(false);
        }, variant === this.variant)));
    }

    showPresets() {
        const presets = this.variant.presets ?? [];
        $('presets').replaceChildren(...presets.map(({ name, values }) => button(name, () => { this.sliders.put(values); this.share(false); })));
        this.markPresets();
    }
    markPresets() {
        const presets = this.variant.presets ?? [];
        [...$('presets').children].forEach((made, i) => made.setAttribute('aria-pressed', this.sliders.isAt(presets[i].values)));
    }

    // ---- sound ----

    async build() {
        if (this.sound.state !== 'running') return;
        const { variant } = this;
        await this.parts;
        if (!variant.engine) this.sound.silence();
        else if (!await this.sound.play({ bench: variant.engine, values: this.sliders.values, model: variant.model })) return;
        for (const action of this.waiting.splice(0)) this.sound.act(...action);
        this.view.begun?.();
    }

    changed(i, v, p) {
        if (p.rebuild) {
            clearTimeout(this.rebuilding);
            this.rebuilding = setTimeout(() => this.build(), SETTLE);
        } else this.sound.set(i, v);
        this.view?.changed?.(p.name, v);
        this.markPresets();
        clearTimeout(this.sharing);
        this.sharing = setTimeout(() => this.share(false), 400);
    }

    act(...action) {
        $('hint').classList.add('done');
        if (this.sound.bench && this.sound.state === 'running') this.sound.act(...action);
        else if (this.waiting.length < WAITING) this.waiting.push(action);
    }

    // Any click or key may be the one that lets the page sound; of touches it is the end that counts.
    async wake() {
        if (this.sound.state === 'running') return;
        if (this.waking) return this.sound.nudge();
        this.waking = true;
        const fine = await this.sound.start();
        this.waking = false;
        if (fine && !this.sound.bench) await this.build();
    }

    // ---- what is missing, and what to do ----

    // in the corner if one can go on without
    notice(text, action, corner = !action) {
        const box = $('notice');
        box.hidden = !text;
        if (!text) return;
        box.firstElementChild.textContent = text;
        box.lastElementChild.hidden = !action;
        box.lastElementChild.textContent = action ?? '';
        box.classList.toggle('corner', corner);
    }

    check() {
        const { state } = this.sound;
        if (state === 'none')
            this.notice(`There is no sound: ${this.reason ?? 'no device was found'}. Plug in or switch on headphones or loudspeakers, then try again.`, 'Try again');
        else if (state === 'blocked' && this.touching) this.notice('Lift your finger once: browsers let a page sound after the first touch.');
        else if (state === 'blocked') this.notice('The browser holds the sound back. Allow sound for this page, or choose a sound device, then', 'Turn the sound on');
        else if (this.failure) this.notice(`The bench could not be made: ${this.failure}. Other settings may do.`, 'Try again', true);
        else if (this.slow) this.notice('This device cannot keep up: the sound is interrupted. Close other pages, or choose another bench.', 'Go on', true);
        else if (!this.space.renderer) this.notice('No WebGL here, so nothing three-dimensional is drawn; the sound and all controls work. Switch on hardware acceleration to see it.');
        else if (this.lost) this.notice('The picture was taken away by the system; it comes back by itself.');
        else this.notice('');
    }

    async tryAgain() {
        const failed = this.failure;
        Object.assign(this, { slow: false, failure: null, lates: [] });
        this.notice('');
        if (failed) await this.build();
        else await this.wake();
        this.check();
    }

    // the sound was interrupted
    countLate() {
        const now = performance.now();
        this.late++;
        this.lates = [...this.lates.filter((t) => now - t < SPELL), now];
        if (this.lates.length <= LATES) return;
        this.slow = true;
        this.check();
    }

    toast(text) {
        $('toast').textContent = text;
        $('toast').classList.add('up');
        clearTimeout(this.toasting);
        this.toasting = setTimeout(() => $('toast').classList.remove('up'), 1500 + 40 * text.length);
    }

    // ---- tools ----

    async share(copy = true) {
        history.replaceState(null, '', writeAddress(this.spec, this.variant, this.sliders.changed()));
        if (!copy) return;
        try {
            await navigator.clipboard.writeText(location.href);
            this.toast('Link copied');
        } catch {
            this.toast('The link is in the address bar');
        }
    }

    async record() {
        if (this.sound.tape) await this.saveRecording();
        else if (this.sound.state === 'running') this.sound.record(() => this.record());
        else this.toast('Make a sound first, then record');
        $('record').setAttribute('aria-pressed', !!this.sound.tape);
        $('record').lastElementChild.textContent = this.sound.tape ? 'Stop' : 'Record';
    }
    async saveRecording() {
        const link = document.createElement('a');
        link.href = URL.createObjectURL(await this.sound.stopRecording());
        link.download = `twang-${this.spec.id}.wav`;
        link.click();
        setTimeout(() => URL.revokeObjectURL(link.href), 60000);
        this.toast(`Saved ${link.download}`);
    }

    setTheme(name) {
        document.documentElement.dataset.theme = name;
        $('theme').setAttribute('aria-label', `Switch to ${name === 'light' ? 'dark' : 'light'} colours`);
    }

    // files are for Your render, wherever they are dropped
    dropped(event) {
        event.preventDefault();
        document.body.classList.remove('dropping');
        const files = [...event.dataTransfer?.files ?? []];
        if (!files.length) return;
        if (!this.view.take) this.openBy('render');
        this.view.take(files);
    }

    // ---- start ----

    listen() {
        this.listenToSound();
        document.addEventListener('visibilitychange', async () => {
            if (document.hidden) this.sound.hide();
            else if (await this.sound.show()) this.toast('Sound goes on');
        });
        const touch = (event, down) => { if (event.pointerType !== 'mouse') this.touching = down; };
        addEventListener('pointerdown', (event) => { touch(event, true); this.wake(); }, { capture: true });
        addEventListener('pointerup', (event) => { touch(event, false); this.wake(); }, { capture: true });
        addEventListener('pointercancel', (event) => touch(event, false), { capture: true });
        for (const kind of ['keydown', 'touchend']) addEventListener(kind, () => this.wake(), { capture: true });
        addEventListener('hashchange', () => this.open(readAddress(location.hash, benches)));
        addEventListener('dragover', (event) => { event.preventDefault(); document.body.classList.add('dropping'); });
        addEventListener('dragleave', (event) => { if (!event.relatedTarget) document.body.classList.remove('dropping'); });
        addEventListener('drop', (event) => this.dropped(event));
        $('view').addEventListener('webglcontextlost', (event) => { event.preventDefault(); this.lost = true; this.check(); });
        $('view').addEventListener('webglcontextrestored', () => { this.lost = false; this.check(); });
        $('notice').querySelector('button').onclick = () => this.tryAgain();
        $('volume').oninput = ({ target }) => { this.sound.setVolume(+target.value); store.set('volume', target.value); };
        $('record').onclick = () => this.record();
        $('share').onclick = () => this.share();
        $('theme').onclick = () => {
            this.setTheme(document.documentElement.dataset.theme === 'light' ? 'dark' : 'light');
            store.set('theme', document.documentElement.dataset.theme);
        };
    }

    listenToSound() {
        const on = (kind, act) => this.sound.addEventListener(kind, ({ detail }) => act(detail));
        on('state', ({ state, reason }) => {
            this.reason = reason;
            this.check();
            if (state === 'running' && !this.waking && !this.sound.bench) this.build();
        });
        on('picture', (picture) => this.view?.picture?.(picture));
        on('failed', (text) => { this.failure = text; this.check(); });
        on('late', () => this.countLate());
    }

    frame(time) {
        requestAnimationFrame((next) => this.frame(next));
        if (document.hidden) return this.space.pause();
        const seconds = Math.min((time - (this.last ?? time)) / 1000, 0.1);
        this.last = time;
        this.ink.clear();
        this.view?.frame?.(seconds, time / 1000);
        this.beckon(time / 1000);
        this.space.render();
        this.scope.draw(this.sound.state === 'running' ? this.sound.analyser : null);
    }

    // a ring where one might begin, until something is done
    beckon(time) {
        const { ink } = this, [x, y] = this.variant.begin ?? this.spec.begin ?? [], beat = still.matches ? 0.4 : time / 1.8 % 1;
        if (x === undefined || $('hint').classList.contains('done')) return;
        ink.pen.globalAlpha = 0.9 * (1 - beat);
        ink.ring(x * ink.width, (1 - y) * ink.height, 10 + 22 * beat, ink.colour.accent);
        ink.pen.globalAlpha = 0.9;
        ink.disc(x * ink.width, (1 - y) * ink.height, 7, ink.colour.accent);
        ink.pen.globalAlpha = 1;
    }

    run() {
        this.parts = load(packed);
        this.parts.catch((error) => this.notice(`The simulation could not be loaded: ${error.message}. A current browser would do.`));
        this.tabs = new Tabs($('tabs'), benches.map(({ id, title }) => [id, title]), (id) => this.openBy(id));
        this.setTheme(store.get('theme') ?? (matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark'));
        $('volume').value = store.get('volume') ?? 0.7;
        this.sound.setVolume(+$('volume').value);
        this.hands = new Hands($('stage'), this.space, (key) => { if (key === 'r') this.record(); });
        this.listen();
        this.open(readAddress(location.hash, benches));
        requestAnimationFrame((time) => this.frame(time));
    }
}

const app = new App();
app.run();
// for tests, and for the curious
window.twang = { app, benches, benchNode };
