// SPDX-License-Identifier: MIT
// Ink: the flat canvas over the scene, in page pixels, with the page's colours.

export class Ink {
    constructor(canvas) {
        this.canvas = canvas;
        this.pen = canvas.getContext('2d');
    }

    clear() {
        const { clientWidth: width, clientHeight: height } = this.canvas, ratio = Math.min(devicePixelRatio, 2);
        if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio))
            Object.assign(this.canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
        Object.assign(this, { width, height });
        this.pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.pen.clearRect(0, 0, width, height);
        const style = getComputedStyle(document.documentElement);
        this.colour = {};
        for (const name of ['text', 'soft', 'accent', 'cool', 'line', 'raised', 'ground']) this.colour[name] = style.getPropertyValue(`--${name}`).trim();
    }

    line(points, colour, width = 1.5) {
        const { pen } = this;
        pen.strokeStyle = colour;
        pen.lineWidth = width;
        pen.lineJoin = pen.lineCap = 'round';
        pen.beginPath();
        for (const [x, y] of points) pen.lineTo(x, y);
        pen.stroke();
    }

    disc(x, y, radius, colour) {
        this.pen.fillStyle = colour;
        this.pen.beginPath();
        this.pen.arc(x, y, radius, 0, 2 * Math.PI);
        this.pen.fill();
    }

    ring(x, y, radius, colour, width = 3) {
        Object.assign(this.pen, { strokeStyle: colour, lineWidth: width });
        this.pen.beginPath();
        this.pen.arc(x, y, radius, 0, 2 * Math.PI);
        this.pen.stroke();
    }

    box(x, y, width, height, colour, radius = 10) {
        this.pen.fillStyle = colour;
        this.pen.beginPath();
        this.pen.roundRect(x, y, width, height, radius);
        this.pen.fill();
    }

    // with a border of the page's ground, to be read over anything
    write(text, x, y, { colour = this.colour.text, size = 13, align = 'left', weight = 400 } = {}) {
        this.pen.font = `${weight} ${size}px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif`;
        this.pen.textAlign = align;
        Object.assign(this.pen, { fillStyle: colour, strokeStyle: this.colour.ground, lineWidth: 3, lineJoin: 'round' });
        this.pen.strokeText(text, x, y);
        this.pen.fillText(text, x, y);
    }

    // a card to write on
    card(x, y, width, height) {
        this.pen.globalAlpha = 0.82;
        this.box(x, y, width, height, this.colour.raised);
        this.pen.globalAlpha = 1;
    }
}
