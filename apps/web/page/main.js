// SPDX-License-Identifier: MIT
// The page: which bench is on, its sliders and presets, hands, sound, and what to say when something is missing.
import { Sound, benchNode, load, unpack } from './audio.js';
import { Hands } from './hands.js';
import { Ink } from './ink.js';
import { Scope } from './scope.js';
import { Sliders } from './sliders.js';
import { Space } from './space.js';
import { benches } from './benches/index.js';

const $ = (id) => document.getElementById(id);
const packed = JSON.parse($('parts').textContent);
const still = matchMedia('(prefers-reduced-motion: reduce)');
const store = {
    get: (key) => { try { return localStorage.getItem(`twang-${key}`); } catch { return null; } },
    set: (key, value) => { try { localStorage.setItem(`twang-${key}`, value); } catch { /* a page from disk may have none */ } },
};

class App {
    constructor() {
        this.sound = new Sound();
        this.space = new Space($('view'));
        this.ink = new Ink($('ink'));
        this.scope = new Scope($('scope'));
        this.sliders = new Sliders($('sliders'), (i, v, p) => this.changed(i, v, p));
        this.waiting = [];
        this.late = 0;
    }

    // ---- benches ----

    // which bench and settings an address asks for: #wineglass?stiffness=8000
    address() {
        const [id, query] = location.hash.slice(1).split('?');
        const values = {};
        for (const [name, text] of new URLSearchParams(query ?? '')) if (Number.isFinite(+text)) values[name] = +text;
        return { id: benches.some((b) => b.id === id) ? id : benches[0].id, values };
    }

    open(id, given = {}) {
        this.view?.close?.();
        this.spec = benches.find((b) => b.id === id);
        for (const tab of $('tabs').children) {
            tab.setAttribute('aria-selected', tab.dataset.id === id);
            if (tab.dataset.id === id) tab.scrollIntoView({ block: 'nearest', inline: 'nearest' });
        }
        $('title').textContent = this.spec.title;
        $('tagline').textContent = this.spec.tagline;
        $('hint').textContent = this.spec.hint;
        $('hint').classList.remove('done');
        $('about').innerHTML = this.spec.about;
        $('extra').replaceChildren();
        $('chooser').replaceChildren();
        document.title = `${this.spec.title} · Twang playground`;
        this.variant = this.spec.variants?.[given.variant ?? 0] ?? this.spec;
        this.showChooser();
        this.start(given);
        this.check();
    }

    showChooser() {
        const { variants } = this.spec;
        if (!variants) return;
        $('chooser').replaceChildren(...variants.map((variant) => {
            const button = document.createElement('button');
            button.textContent = variant.name;
            button.setAttribute('aria-pressed', variant === this.variant);
            button.onclick = () => {
                this.variant = variant;
                this.showChooser();
                this.start({});
                this.share(false);
            };
            return button;
        }));
    }

    start(given) {
        const { variant } = this, parameters = variant.engine ? packed.description.benches[variant.engine] : [];
        const choices = variant.choices ?? {};
        this.sliders.show(parameters, parameters.map((p) => clamp(p, given[p.name] ?? variant.start?.[p.name] ?? p.start)), choices);
        this.showPresets();
        this.space.clear();
        this.view = new this.spec.View(this.hand(), variant);
        this.hands?.attach(this.view);
        this.build();
    }

    // what a view may use
    hand() {
        return {
            space: this.space, ink: this.ink, extra: $('extra'), still: still.matches, sound: this.sound,
            act: (...action) => this.act(...action),
            value: (name) => this.sliders.values[this.sliders.parameters.findIndex((p) => p.name === name)],
            model: async () => (await this.parts).model(this.variant.model),
            put: (values) => this.sliders.put(values),
            notice: (text) => this.notice(text),
            toast: (text) => this.toast(text),
            stage: $('stage'),
            example: packed.example && (async () => ({ glb: await unpack(packed.example.glb, true), wav: await unpack(packed.example.wav, true) })),
        };
    }

    showPresets() {
        const presets = this.variant.presets ?? [];
        $('presets').replaceChildren(...presets.map(({ name, values }) => {
            const button = document.createElement('button');
            button.textContent = name;
            button.onclick = () => {
                this.sliders.put(values);
                this.pressed(button);
                this.share(false);
            };
            return button;
        }));
        if (presets.length) $('presets').firstChild.setAttribute('aria-pressed', true);
    }
    pressed(button) {
        for (const other of $('presets').children) other.setAttribute('aria-pressed', other === button);
    }

    // ---- sound ----

    async build() {
        if (this.sound.state !== 'running') return;
        const { variant } = this;
        if (!variant.engine) return this.sound.silence();
        await this.parts;
        const node = await this.sound.play({ bench: variant.engine, values: this.sliders.values, model: variant.model });
        if (!node) return;
        for (const action of this.waiting.splice(0)) this.sound.act(...action);
        this.view.begun?.();
    }

    changed(i, v, p) {
        if (p.rebuild) {
            clearTimeout(this.rebuilding);
            this.rebuilding = setTimeout(() => this.build(), 120);
        } else this.sound.set(i, v);
        this.view?.changed?.(p.name, v);
        this.pressed(null);
        clearTimeout(this.sharing);
        this.sharing = setTimeout(() => this.share(false), 400);
    }

    act(...action) {
        $('hint').classList.add('done');
        if (this.sound.bench && this.sound.state === 'running') this.sound.act(...action);
        else if (this.waiting.length < 64) this.waiting.push(action);
    }

    // any click or key may be the one that lets the page sound
    async wake() {
        if (this.sound.state === 'running' || this.waking) return;
        this.waking = true;
        const fine = await this.sound.start();
        this.waking = false;
        if (fine) await this.build();
    }

    // ---- what is missing, and what to do ----

    // in the corner if one can go on without
    notice(text, button, corner = !button) {
        const box = $('notice');
        box.hidden = !text;
        if (!text) return;
        box.firstElementChild.textContent = text;
        box.lastElementChild.hidden = !button;
        box.lastElementChild.textContent = button ?? '';
        box.classList.toggle('corner', corner);
    }

    check() {
        const { state } = this.sound;
        if (state === 'none')
            this.notice(`There is no sound: ${this.reason ?? 'no device was found'}. Plug in or switch on headphones or loudspeakers, then try again.`, 'Try again');
        else if (state === 'blocked') this.notice('The browser holds the sound back. Allow sound for this page, or choose a sound device, then', 'Turn the sound on');
        else if (this.slow) this.notice('This device cannot keep up: the sound is interrupted. Close other pages, or choose another bench.', 'Go on', true);
        else if (!this.space.renderer) this.notice('No WebGL here, so nothing three-dimensional is drawn; the sound and all controls work. Switch on hardware acceleration to see it.');
        else if (this.lost) this.notice('The picture was taken away by the system; it comes back by itself.');
        else this.notice('');
    }

    toast(text) {
        $('toast').textContent = text;
        $('toast').classList.add('up');
        clearTimeout(this.toasting);
        this.toasting = setTimeout(() => $('toast').classList.remove('up'), 2200);
    }

    // ---- tools ----

    async share(copy = true) {
        const values = this.sliders.changed();
        if (this.spec.variants) {
            const at = this.spec.variants.indexOf(this.variant);
            if (at) values.variant = at;
        }
        const query = new URLSearchParams(values).toString();
        history.replaceState(null, '', `#${this.spec.id}${query ? `?${query}` : ''}`);
        if (!copy) return;
        try {
            await navigator.clipboard.writeText(location.href);
            this.toast('Link copied');
        } catch {
            this.toast('The link is in the address bar');
        }
    }

    record() {
        if (this.sound.tape) {
            const link = document.createElement('a');
            link.href = URL.createObjectURL(this.sound.stopRecording());
            link.download = `twang-${this.spec.id}.wav`;
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 60000);
            this.toast(`Saved ${link.download}`);
        } else if (this.sound.state === 'running') this.sound.record();
        else this.toast('Make a sound first');
        $('record').setAttribute('aria-pressed', !!this.sound.tape);
    }

    theme(name) {
        document.documentElement.dataset.theme = name;
        store.set('theme', name);
    }

    // ---- start ----

    listen() {
        this.sound.addEventListener('state', ({ detail }) => { this.reason = detail.reason; this.check(); });
        this.sound.addEventListener('picture', ({ detail }) => this.view?.picture?.(detail));
        this.sound.addEventListener('failed', ({ detail }) => this.notice(`The bench could not be made: ${detail}`, 'Try again'));
        this.sound.addEventListener('late', () => {
            this.late++;
            const now = performance.now();
            this.lates = [...(this.lates ?? []).filter((t) => now - t < 5000), now];
            if (this.lates.length > 8) { this.slow = true; this.check(); }
        });
        $('notice').querySelector('button').onclick = async () => {
            this.slow = false;
            this.lates = [];
            this.notice('');
            await this.wake();
            this.check();
        };
        document.addEventListener('visibilitychange', async () => {
            if (document.hidden) this.sound.hide();
            else { await this.sound.show(); this.toast('Sound goes on'); }
        });
        for (const kind of ['pointerdown', 'keydown']) addEventListener(kind, () => this.wake(), { capture: true });
        addEventListener('hashchange', () => { const { id, values } = this.address(); this.open(id, values); });
        $('view').addEventListener('webglcontextlost', (event) => { event.preventDefault(); this.lost = true; this.check(); });
        $('view').addEventListener('webglcontextrestored', () => { this.lost = false; this.check(); });
        $('volume').oninput = ({ target }) => { this.sound.setVolume(+target.value); store.set('volume', target.value); };
        $('record').onclick = () => this.record();
        $('share').onclick = () => this.share();
        $('theme').onclick = () => this.theme(document.documentElement.dataset.theme === 'light' ? 'dark' : 'light');
    }

    frame(time) {
        requestAnimationFrame((next) => this.frame(next));
        if (document.hidden) return;
        const seconds = Math.min((time - (this.last ?? time)) / 1000, 0.1);
        this.last = time;
        this.ink.clear();
        this.view?.frame?.(seconds, time / 1000);
        this.space.render();
        this.scope.draw(this.sound.state === 'running' ? this.sound.analyser : null);
    }

    run() {
        this.parts = load(packed);
        this.parts.catch((error) => this.notice(`The simulation could not be loaded: ${error.message}. A current browser would do.`));
        $('tabs').replaceChildren(...benches.map(({ id, title }) => {
            const tab = document.createElement('button');
            Object.assign(tab, { textContent: title, onclick: () => { this.open(id); this.share(false); } });
            tab.dataset.id = id;
            tab.setAttribute('role', 'tab');
            return tab;
        }));
        const dark = !matchMedia('(prefers-color-scheme: light)').matches;
        document.documentElement.dataset.theme = store.get('theme') ?? (dark ? 'dark' : 'light');
        $('volume').value = store.get('volume') ?? 0.7;
        this.sound.setVolume(+$('volume').value);
        this.hands = new Hands($('stage'), this.space, (key) => { if (key === 'r') this.record(); });
        this.listen();
        const { id, values } = this.address();
        this.open(id, values);
        requestAnimationFrame((time) => this.frame(time));
    }
}

const clamp = (p, v) => Math.min(Math.max(v, p.low), p.high);

const app = new App();
app.run();
// for tests, and for the curious
window.twang = { app, benches, benchNode, load, packed };
