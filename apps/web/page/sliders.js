// SPDX-License-Identifier: MIT
// Sliders of a bench: named by what they do to the sound, with what they are and their unit below.

const STEPS = 1000;

const share = (p, value) => p.log ? Math.log(value / p.low) / Math.log(p.high / p.low) : (value - p.low) / (p.high - p.low);
const value = (p, at) => p.log ? p.low * (p.high / p.low) ** at : p.low + at * (p.high - p.low);

// three digits, and a prefix where that is shorter
export function spell(number, unit = '') {
    const digits = Math.abs(number) >= 1e4 || (number !== 0 && Math.abs(number) < 1e-3)
        ? number.toExponential(1).replace('e+', 'e') : String(+number.toPrecision(3));
    return unit === 'x' ? `× ${digits}` : unit ? `${digits} ${unit}` : digits;
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

    row(p, i) {
        const element = document.createElement('label');
        element.className = 'slider';
        element.innerHTML = '<b></b><output></output><input type="range"><small></small>';
        const [name, output, input, hint] = element.children;
        name.textContent = p.label;
        hint.textContent = p.hint;
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
        const [name, select, hint] = element.children;
        name.textContent = p.label;
        hint.textContent = p.hint;
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

    // what differs from where sliders start, for addresses
    changed() {
        return Object.fromEntries(this.parameters.map((p, i) => [p.name, this.values[i], p.start])
            .filter(([, v, start]) => Math.abs(v - start) > 1e-9 * Math.abs(start)).map(([name, v]) => [name, +v.toPrecision(4)]));
    }
}
