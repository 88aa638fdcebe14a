// SPDX-License-Identifier: MIT
// Hands: pointers and keys become what views understand. A view may have
//   down(p), move(p), up(p)   p: {x, y} in the unit square, y up, and id; down returning false leaves the pointer to the camera
//   hover(p)                  a pointer that does not press
//   key(name, down)           returning true if it was of use
// Views without key() are played by keys all the same: arrows move a pointer, space presses it.

const STEP = 0.03;
const ARROWS = { arrowleft: [-STEP, 0], arrowright: [STEP, 0], arrowup: [0, STEP], arrowdown: [0, -STEP] };

// keys that a control of the page wants for itself; letters are free
const wants = (control, key) => control?.matches('select') || (control?.matches('input') && key.length > 1)
    || (control && ['space', 'enter'].includes(key));

export class Hands {
    constructor(stage, space, other) {
        Object.assign(this, { stage, space, other, pointers: new Map(), pressed: new Set() });
        stage.addEventListener('pointerdown', (event) => this.down(event));
        stage.addEventListener('pointermove', (event) => this.move(event));
        stage.addEventListener('pointerleave', () => this.view.hover?.(null));
        for (const kind of ['pointerup', 'pointercancel', 'lostpointercapture']) stage.addEventListener(kind, (event) => this.up(event));
        stage.addEventListener('wheel', (event) => { event.preventDefault(); space.zoom(Math.exp(0.001 * event.deltaY)); }, { passive: false });
        stage.addEventListener('contextmenu', (event) => event.preventDefault());
        addEventListener('keydown', (event) => this.keyDown(event));
        addEventListener('keyup', (event) => this.keyUp(this.nameOf(event)));
        // a page that is left does not hear its keys go up
        addEventListener('blur', () => { for (const key of this.pressed) this.keyUp(key); });
    }

    attach(view) {
        this.view = view;
        this.pointers.clear();
        this.pressed.clear();
        this.keyed = { x: 0.5, y: 0.5, id: 'keys', down: false };
    }

    where(event) {
        const box = this.stage.getBoundingClientRect();
        return { x: (event.clientX - box.left) / box.width, y: 1 - (event.clientY - box.top) / box.height, id: event.pointerId };
    }

    // ---- pointers ----

    down(event) {
        if (event.target.closest('button, input, select, label, a')) return;
        this.stage.classList.remove('keys');
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

    // ---- keys ----

    nameOf({ key }) { return key === ' ' ? 'space' : key.toLowerCase(); }

    keyDown(event) {
        const key = this.nameOf(event);
        if (event.ctrlKey || event.metaKey || event.altKey || wants(event.target.closest?.('input, select, button, a'), key)) return;
        this.stage.classList.add('keys');
        const again = event.repeat && !(key in ARROWS);
        if (again ? this.pressed.has(key) : this.press(key)) event.preventDefault();
        else if (!event.repeat) this.other(key);
    }

    // @return whether it was of use
    press(key) {
        const used = this.view.key?.(key, true) || this.movePointer(key) || this.pressPointer(key, true);
        if (used) this.pressed.add(key);
        return used;
    }

    keyUp(key) {
        if (!this.pressed.delete(key)) return;
        if (!this.view.key?.(key, false)) this.pressPointer(key, false);
    }

    movePointer(key) {
        if (!(key in ARROWS) || !this.view.down) return false;
        const { keyed } = this, at = [keyed.x, keyed.y].map((x, k) => Math.min(Math.max(x + ARROWS[key][k], 0), 1));
        [keyed.x, keyed.y] = at;
        if (keyed.down) this.view.move?.({ ...keyed });
        else this.view.hover?.({ ...keyed });
        return true;
    }

    pressPointer(key, down) {
        if (key !== 'space' || !this.view.down) return false;
        this.keyed.down = down;
        if (down) this.view.down({ ...this.keyed });
        else this.view.up?.({ ...this.keyed });
        return true;
    }
}
