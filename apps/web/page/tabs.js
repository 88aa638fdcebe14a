// SPDX-License-Identifier: MIT
// A row of tabs, of which one is chosen: by pointer, or by arrows once one of them has the focus.

export class Tabs {
    // names: [[id, text], ...]; onchoose(id)
    constructor(root, names, onchoose) {
        this.root = root;
        this.onchoose = onchoose;
        root.replaceChildren(...names.map(([id, text]) => {
            const tab = Object.assign(document.createElement('button'), { id: `tab-${id}`, textContent: text, onclick: () => onchoose(id) });
            tab.dataset.id = id;
            tab.setAttribute('role', 'tab');
            return tab;
        }));
        root.addEventListener('keydown', (event) => this.key(event));
    }

    show(id) {
        for (const tab of this.root.children) {
            const chosen = tab.dataset.id === id;
            tab.setAttribute('aria-selected', chosen);
            tab.tabIndex = chosen ? 0 : -1;
            if (chosen) tab.scrollIntoView({ block: 'nearest', inline: 'center' });
        }
    }

    key(event) {
        const tabs = [...this.root.children], at = tabs.indexOf(event.target), last = tabs.length - 1;
        const next = { ArrowRight: at < last ? at + 1 : 0, ArrowLeft: at > 0 ? at - 1 : last, Home: 0, End: last }[event.key];
        if (next === undefined || at < 0) return;
        event.preventDefault();
        event.stopPropagation();
        this.onchoose(tabs[next].dataset.id);
        tabs[next].focus();
    }
}
