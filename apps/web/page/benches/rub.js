// SPDX-License-Identifier: MIT
// What the rubbed benches have in common: the pointer is force and normal force, and bristles are shown.
import { spell } from '../sliders.js';

const PAIR = 10;  // numbers of a pair in a picture, see apps/web/rub.c

export function read(picture) {
    const pairs = [];
    for (let at = 3; at + PAIR <= picture.length; at += PAIR) {
        const [low, high, steady, slip, friction, normal, place, velocity, ...amplitude] = picture.subarray(at, at + PAIR);
        pairs.push({ low, high, steady, slip, friction, normal, place, velocity, amplitude });
    }
    return { stuck: picture[0], speed: picture[1], angle: picture[2], pairs };
}

const NOTHING = { stuck: 1, speed: 0, angle: 0, pairs: [] };

export class Rubbed {
    constructor(hand) {
        Object.assign(this, hand);
        this.state = NOTHING;
        this.hold = null;
        this.build();
    }

    get second() { return 'press'; }  // what the height of the hand does
    get free() { return 0; }          // the height below which it does nothing
    get named() { return 0.86; }      // how far along the border its sides are named, clear of what is drawn
    pressure(y) { return Math.max((y - this.free) / (1 - this.free), 0); }

    picture(data) { this.state = read(data); }

    down(p) { this.hold = p; this.act('down', p.x, this.pressure(p.y)); }
    move(p) { this.hold = p; this.act('move', p.x, this.pressure(p.y)); }
    up() { this.hold = null; this.act('up'); }
    hover(p) { this.pale = p; }

    frame(seconds, time) {
        this.animate(this.state, seconds, time);
        this.drawPad();
        this.drawBristles();
    }

    // the two hands: push to the right, press upwards
    drawPad() {
        const { ink } = this, { width, height, colour } = ink, p = this.hold ?? this.pale;
        ink.pen.globalAlpha = 0.7;
        ink.write('push →', width - 16, height - 14, { align: 'right', colour: colour.soft });
        ink.write(`${this.second} ↑`, 16, height * 0.45, { colour: colour.soft });
        ink.pen.globalAlpha = 1;
        this.drawBorder();
        if (!p) return;
        const x = p.x * width, y = (1 - p.y) * height, strong = this.hold ? 1 : 0.35;
        ink.pen.globalAlpha = 0.35 * strong;
        ink.line([[x, 0], [x, height]], colour.accent, 1);
        ink.line([[0, y], [width, y]], colour.accent, 1);
        ink.pen.globalAlpha = strong;
        ink.disc(x, y, this.hold ? 9 : 6, colour.accent);
        ink.pen.globalAlpha = 1;
    }

    // to the right of this line the push is more than static friction can hold
    drawBorder() {
        const { ink } = this, { width, height, colour } = ink, [push, press, stick] = ['push', 'press', 'static'].map((name) => this.value(name));
        const at = (x) => this.free + (1 - this.free) * x * push / (stick * press), end = Math.min(1, (1 - this.free) / (at(1) - this.free));
        ink.pen.setLineDash([4, 7]);
        ink.pen.globalAlpha = 0.4;
        ink.line([[0, (1 - at(0)) * height], [end * width, (1 - at(end)) * height]], colour.soft, 1.5);
        ink.pen.setLineDash([]);
        if (this.free) ink.line([[0, (1 - this.free) * height], [width, (1 - this.free) * height]], colour.soft, 1);
        ink.pen.globalAlpha = 0.7;
        const x = this.named * end, y = at(x);
        ink.write('sticks', x * width - 14, (1 - y) * height - 6, { align: 'right', size: 12, colour: colour.soft });
        ink.write('slips', x * width + 14, (1 - y) * height + 14, { size: 12, colour: colour.soft });
        ink.pen.globalAlpha = 1;
    }

    // the bristles between the two surfaces, bent by z; how far they swung since the last picture is shown pale
    drawBristles() {
        const { ink, state } = this, { colour } = ink, wide = Math.min(236, ink.width * 0.66), high = 104, x = 16;
        const fits = ink.height > 480 && ink.width > 600 ? state.pairs.length : 1;
        const how = state.stuck > 0.999 ? 'sticks' : state.stuck < 0.001 ? 'slips' : 'sticks and slips';
        state.pairs.slice(0, fits).forEach((pair, k) => {
            const y = ink.height - 16 - (fits - k) * (high + 8), held = pair.normal > 0.01;
            ink.card(x, y, wide, high);
            const left = x + 14, right = x + wide - 14, floor = y + 62, roof = y + 34;
            ink.write(held ? how : 'no contact', left, y + 20, { colour: held ? (how === 'sticks' ? colour.cool : colour.accent) : colour.soft, weight: 600 });
            if (held) ink.write(`stuck ${Math.round(100 * state.stuck)} %`, right, y + 20, { align: 'right', size: 12, colour: colour.soft });
            const lift = held ? 0 : 7;
            ink.line([[left, roof - lift], [right, roof - lift]], colour.text, 2.5);
            ink.line([[left, floor], [right, floor]], colour.text, 2.5);
            if (held) this.brush(pair, left, right, roof, floor);
            ink.write(`slip ${spell(Math.abs(pair.slip), 'm/s')}`, left, y + 80, { size: 12, colour: colour.soft });
            ink.write(`friction ${spell(Math.abs(pair.friction), 'N')}`, right, y + 80, { size: 12, align: 'right', colour: colour.soft });
            ink.write(`speed ${spell(Math.abs(pair.velocity), 'm/s')}`, left, y + 96, { size: 12, colour: colour.soft });
            ink.write(`${this.second} ${spell(pair.normal, 'N')}`, right, y + 96, { size: 12, align: 'right', colour: colour.soft });
        });
    }

    brush(pair, left, right, roof, floor) {
        const { ink } = this, { colour } = ink, count = 13, reach = 9;
        const bend = (z) => reach * Math.max(-2.2, Math.min(2.2, z || 0));
        const draw = (z, tone, alpha, width) => {
            ink.pen.globalAlpha = alpha;
            for (let i = 0; i < count; i++) {
                const at = left + 14 + (right - left - 28) * i / (count - 1), by = bend(z);
                ink.line([[at - by / 2, floor], [at - by / 6, (2 * floor + roof) / 3], [at + by / 2, roof]], tone, width);
            }
            ink.pen.globalAlpha = 1;
        };
        if (!Number.isFinite(pair.low)) return;
        draw(pair.low, colour.accent, 0.4, 1.5);
        draw(pair.high, colour.accent, 0.4, 1.5);
        draw((pair.low + pair.high) / 2, colour.cool, 1, 2);
    }
}
