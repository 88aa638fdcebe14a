// SPDX-License-Identifier: MIT
import { spell } from '../sliders.js';

const NAMES = ['Verlet', 'Heun', 'RK4', 'trapezoid', 'gradient', 'invariant'], NUMBERS = 6, HISTORY = 400;

class Bounce {
    constructor(hand) {
        Object.assign(this, hand);
        this.heard = -1;
        this.balls = NAMES.map(() => ({ x: this.value('height'), energy: 1, most: 1, contacts: 0, gone: 0, past: [] }));
        this.controls();
    }

    controls() {
        const row = document.createElement('div');
        row.className = 'row';
        const drop = document.createElement('button');
        drop.textContent = 'Drop again';
        drop.onclick = () => this.drop();
        row.append(drop);
        this.extra.replaceChildren(row);
    }

    drop() {
        this.act('reset');
        for (const ball of this.balls) ball.past = [];
    }
    begun() { this.act('hit', this.heard); }
    changed() { for (const ball of this.balls) ball.past = []; }

    picture(data) {
        this.balls.forEach((ball, i) => {
            const [x, v, energy, most, contacts, gone] = data.subarray(NUMBERS * i, NUMBERS * (i + 1));
            Object.assign(ball, { x, v, energy, most, contacts, gone });
            ball.past.push(energy);
            if (ball.past.length > HISTORY) ball.past.shift();
        });
    }

    // a column is heard alone when it is pressed, and all again when it is pressed once more
    down(p) {
        const box = this.layout(), i = Math.floor((p.x * this.ink.width - box.left) / box.step);
        if (i < 0 || i >= NAMES.length || p.y * this.ink.height < box.energy) return this.drop();
        this.heard = this.heard === i ? -1 : i;
        this.act('hit', this.heard);
        this.drop();
    }
    key(name, down) {
        if (name === 'space' && down) this.drop();
        const i = '123456'.indexOf(name);
        if (i >= 0 && down) { this.heard = this.heard === i ? -1 : i; this.act('hit', this.heard); }
        return name === 'space' || i >= 0;
    }

    layout() {
        const { width, height } = this.ink, left = Math.max(width * 0.03, 16), energy = Math.min(130, height * 0.24);
        return { left, step: (width - 2 * left) / NAMES.length, floor: height - energy - 52, top: 112, energy };
    }

    frame() {
        const { ink } = this, box = this.layout(), scale = (box.floor - box.top) / (1.5 * this.value('height'));
        const start = box.floor - this.value('height') * scale;
        ink.pen.setLineDash([5, 6]);
        ink.line([[box.left, start], [ink.width - box.left, start]], ink.colour.soft, 1);
        ink.pen.setLineDash([]);
        this.balls.forEach((ball, i) => this.column(ball, i, box, scale));
        ink.write('where they fell from', ink.width - box.left, start + 16, { colour: ink.colour.soft, size: 12, align: 'right' });
        ink.write('energy over time', box.left, ink.height - 12, { size: 12, colour: ink.colour.soft });
        ink.write('the line is what it began with', ink.width - box.left, ink.height - 12, { size: 12, colour: ink.colour.soft, align: 'right' });
    }

    radius(box) { return Math.min(box.step * 0.2, 26); }

    column(ball, i, box, scale) {
        const { ink } = this, { colour } = ink, x = box.left + (i + 0.5) * box.step, gains = ball.most > 1.001;
        const radius = this.radius(box), tone = gains ? '#e5484d' : i > 3 ? colour.cool : colour.text;
        const narrow = box.step < 90;
        const heard = this.heard < 0 || this.heard === i;
        ink.pen.globalAlpha = heard ? 1 : 0.35;
        ink.line([[x - box.step * 0.4, box.floor], [x + box.step * 0.4, box.floor]], colour.text, 3);
        if (ball.gone) ink.write('gone', x, box.top + 20, { align: 'center', colour: tone, weight: 600 });
        else this.ball(x, box.floor - Math.max(ball.x, 0) * scale, radius, tone, box);
        ink.write(NAMES[i], x, box.floor + 20, { align: 'center', weight: 600, size: box.step < 110 ? 10 : 13 });
        ink.write(gains ? this.risen(ball, narrow) : `${narrow ? '' : 'keeps '}${spell(+(100 * Math.min(ball.energy, 1)).toPrecision(3))} %`, x, box.floor + 37,
            { align: 'center', size: box.step < 110 ? 10 : 12, colour: gains ? '#e5484d' : colour.soft });
        this.history(ball, x, box, tone);
        ink.pen.globalAlpha = 1;
    }

    // the most energy it has had, which it may have lost again
    risen({ most }, narrow) {
        if (most > 100) return narrow ? 'explodes' : 'gains without bound';
        return `${narrow ? '' : 'rose to '}× ${spell(most)}`;
    }

    ball(x, y, radius, tone, box) {
        const { ink } = this, at = Math.max(y - radius, box.top - 30);
        const shade = ink.pen.createRadialGradient(x - radius / 3, at - radius / 3, radius / 8, x, at, radius);
        [[0, '#ffffffd0'], [0.4, '#ffffff00'], [0.5, '#00000000'], [1, '#00000090']].forEach((stop) => shade.addColorStop(...stop));
        ink.disc(x, at, radius, tone);
        ink.disc(x, at, radius, shade);
    }

    // energy, from 0 to twice that of the start
    history(ball, x, box, tone) {
        const { ink } = this, wide = box.step * 0.8, left = x - wide / 2, bottom = ink.height - 30, high = box.energy - 44;
        ink.card(left, bottom - high, wide, high);
        ink.line([[left + 4, bottom - high / 2], [left + wide - 4, bottom - high / 2]], ink.colour.line, 1);
        if (ball.past.length < 2) return;
        ink.line(ball.past.map((e, k) => [left + 4 + (wide - 8) * k / HISTORY, bottom - high * Math.min(Math.max(e / 2, 0.02), 0.98)]), tone, 2);
    }
}

export default {
    id: 'bounce',
    title: 'Bounce',
    engine: 'bounce',
    tagline: 'One ball, computed in six ways. Watch who cheats.',
    begin: [0.5, 0.62],
    hint: 'Press to drop them; press a column to hear it alone',
    keys: 'Keys: space drops them, 1 to 6 choose one to hear.',
    about: 'A ball on a wall by the Hunt-Crossley law, by six integrators at the same number of steps, after Papetti, Avanzini and Rocchesso (2009). '
        + 'Red ones have had more energy than they began with. The last two are Twang\'s own: by a discrete gradient, and by the exact invariant, whose rebound is exact with any step.',
    presets: [
        { name: 'Marble', values: {} },
        { name: 'No loss', values: { dissipation: 0 } },
        { name: 'Few steps', values: { rate: 12000, dissipation: 0, stiffness: 5e8 } },
        { name: 'Very hard', values: { stiffness: 3e11, dissipation: 0.01 } },
        { name: 'Rubber', values: { stiffness: 2e5, mass: 0.05, dissipation: 0.08 } },
        { name: 'Fair race', values: { rate: 192000, dissipation: 0.02 } },
    ],
    View: Bounce,
};
