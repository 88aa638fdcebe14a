// SPDX-License-Identifier: MIT
// Hands: pointers and keys become what views understand. A view may have
//   down(p), move(p), up(p)   p: {x, y} in the unit square, y up, and id; down returning false leaves the pointer to the camera
//   key(name, down)           returning true if it was of use
// Views without key() are played by keys all the same: arrows move a pointer, space presses it.

const STEP = 0.03;

export class Hands {
    constructor(stage, space, other) {
        Object.assign(this, { stage, space, other, pointers: new Map(), keyed: { x: 0.5, y: 0.5, id: 'keys', down: false } });
        stage.addEventListener('pointerdown', (event) => this.down(event));
        stage.addEventListener('pointermove', (event) => this.move(event));
        for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture']) stage.addEventListener(kind, (event) => this.up(event));
        stage.addEventListener('wheel', (event) => { event.preventDefault(); space.zoom(Math.exp(0.001 * event.deltaY)); }, { passive: false });
        stage.addEventListener('contextmenu', (event) => event.preventDefault());
        addEventListener('keydown', (event) => this.key(event, true));
        addEventListener('keyup', (event) => this.key(event, false));
    }

    attach(view) {
        this.view = view;
        this.pointers.clear();
        this.keyed = { x: 0.5, y: 0.5, id: 'keys', down: false };
    }

    where(event) {
        const box = this.stage.getBoundingClientRect();
        return { x: (event.clientX - box.left) / box.width, y: 1 - (event.clientY - box.top) / box.height, id: event.pointerId };
    }

    down(event) {
        this.stage.classList.remove('keys');
        if (event.target.closest('button, input, select, label, a')) return;
        this.stage.focus({ preventScroll: true });
        const p = this.where(event);
        try { this.stage.setPointerCapture(event.pointerId); } catch { /* a made-up pointer */ }
        const turns = event.button === 2 || this.view.down?.(p) === false;
        this.pointers.set(event.pointerId, { ...p, turns });
    }

    move(event) {
        const last = this.pointers.get(event.pointerId), p = this.where(event);
        if (!last) return this.view.hover?.(p);
        // a second finger on the background zooms
        const turning = [...this.pointers.values()].filter((q) => q.turns);
        if (last.turns && turning.length === 2) {
            const other = turning.find((q) => q !== last), gap = (a, b) => Math.hypot(a.x - b.x, a.y - b.y);
            this.space.zoom(gap(last, other) / Math.max(gap(p, other), 0.01));
        } else if (last.turns) this.space.turn(p.x - last.x, p.y - last.y);
        else this.view.move?.(p);
        Object.assign(last, p);
    }

    up(event) {
        const last = this.pointers.get(event.pointerId);
        if (!last) return;
        this.pointers.delete(event.pointerId);
        if (!last.turns) this.view.up?.(this.where(event));
    }

    key(event, down) {
        if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.('input, select, button, textarea')) return;
        this.stage.classList.add('keys');
        const key = event.key === ' ' ? 'space' : event.key.toLowerCase();
        if (event.repeat && key === 'space') return event.preventDefault();
        if (this.view.key?.(key, down)) return event.preventDefault();
        const by = { arrowleft: [-STEP, 0], arrowright: [STEP, 0], arrowup: [0, STEP], arrowdown: [0, -STEP] }[key];
        if (by && this.view.down) {
            event.preventDefault();
            if (!down) return;
            this.keyed.x = Math.min(Math.max(this.keyed.x + by[0], 0), 1);
            this.keyed.y = Math.min(Math.max(this.keyed.y + by[1], 0), 1);
            (this.keyed.down ? this.view.move : this.view.hover)?.call(this.view, this.keyed);
        } else if (key === 'space' && this.view.down) {
            event.preventDefault();
            this.keyed.down = down;
            if (down) this.view.down(this.keyed);
            else this.view.up?.(this.keyed);
        } else if (down) this.other(key);
    }
}
