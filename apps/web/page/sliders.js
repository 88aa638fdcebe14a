// SPDX-License-Identifier: MIT
// Sliders of a bench: named by what they do to the sound, with what they are and their unit below.

const STEPS = 1000, DIGITS = 4;  // values have so many digits, so that addresses hold them exactly

const share = (p, value) => p.log ? Math.log(value / p.low) / Math.log(p.high / p.low) : (value - p.low) / (p.high - p.low);
const value = (p, at) => +(p.log ? p.low * (p.high / p.low) ** at : p.low + at * (p.high - p.low)).toPrecision(DIGITS);

const same = (a, b) => Math.abs(a - b) <= 1e-9 * Math.abs(b);
const PREFIXES = { '-9': 'n', '-6': 'µ', '-3': 'm', 0: '', 3: 'k', 6: 'M', 9: 'G' };
const RAISED = { '^1.5': '¹·⁵', '^2': '²', '^3': '³', '^a': 'ᵃ' };

// three digits and a unit, with a prefix if the unit can have one: 20 MN/m¹·⁵, 1 mm, 7800 kg/m³
export function spell(number, unit = '') {
    if (unit === 'x') return `× ${+number.toPrecision(3)}`;
    if (unit === '1/s') return `${+number.toPrecision(3)}/s`;
    if (unit === 'kg') return spell(1000 * number, 'g');
    const written = unit.replace(/\^[\d.a]+/, (power) => RAISED[power] ?? power), rounded = +number.toPrecision(3);
    if (!/^(Pa|N|m|J|Hz|g)(?!\w)/.test(unit) || !Number.isFinite(rounded)) return written ? `${rounded} ${written}` : String(rounded);
    const power = rounded ? Math.min(Math.max(3 * Math.floor(Math.log10(Math.abs(rounded)) / 3), -9), 9) : 0;
    return `${+(rounded / 10 ** power).toPrecision(3)} ${PREFIXES[power]}${written}`;
}

export class Sliders {
    // onchange(index, value, parameter)
    constructor(root, onchange) {
        this.root = root;
        this.onchange = onchange;
    }

    // choices: {name: [text, ...]}: parameters that are numbers of names
    show(parameters, values, choices = {}) {
        this.parameters = parameters;
        this.values = parameters.map((p, i) => values[i] ?? p.start);
        this.rows = parameters.map((p, i) => choices[p.name] ? this.choice(p, i, choices[p.name]) : this.row(p, i));
        this.root.replaceChildren(...this.rows.map((row) => row.element));
    }

    name(element, { label, hint }) {
        element.querySelector('b').textContent = label;
        element.querySelector('small').textContent = hint;
    }

    row(p, i) {
        const element = document.createElement('label');
        element.className = 'slider';
        element.innerHTML = '<b></b><output></output><small></small><input type="range">';
        const [, output, , input] = element.children;
        this.name(element, p);
        Object.assign(input, { min: 0, max: STEPS, step: 1, name: p.name });
        const show = (v) => {
            output.textContent = spell(v, p.unit);
            input.setAttribute('aria-valuetext', output.textContent);
        };
        const put = (v) => { input.value = Math.round(STEPS * share(p, v)); show(v); };
        input.oninput = () => this.change(i, value(p, input.value / STEPS), show);
        input.ondblclick = () => { put(p.start); this.change(i, p.start, show); };
        put(this.values[i]);
        return { element, put };
    }

    choice(p, i, names) {
        const element = document.createElement('label');
        element.className = 'slider';
        element.innerHTML = '<b></b><select></select><small></small>';
        const [, select] = element.children;
        this.name(element, p);
        select.name = p.name;
        select.append(...names.map((text, k) => new Option(text, k)));
        const put = (v) => { select.value = Math.round(v); };
        select.onchange = () => this.change(i, +select.value, () => {});
        put(this.values[i]);
        return { element, put };
    }

    change(i, v, show) {
        this.values[i] = v;
        show(v);
        this.onchange(i, v, this.parameters[i]);
    }

    // all at once, as presets do
    put(values) {
        this.parameters.forEach((p, i) => {
            const v = values[p.name] ?? p.start;
            if (v === this.values[i]) return;
            this.values[i] = v;
            this.rows[i].put(v);
            this.onchange(i, v, p);
        });
    }

    // whether all are where they start, but for what is given
    isAt(values) { return this.parameters.every((p, i) => same(this.values[i], values[p.name] ?? p.start)); }

    // what differs from where sliders start, for addresses
    changed() {
        return Object.fromEntries(this.parameters.map((p, i) => [p.name, this.values[i], p.start])
            .filter(([, v, start]) => !same(v, start)).map(([name, v]) => [name, +v.toPrecision(DIGITS)]));
    }
}
