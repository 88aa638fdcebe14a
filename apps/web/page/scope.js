// SPDX-License-Identifier: MIT
// What is heard, as a spectrogram that runs to the left, and the waveform beside it.

const LOW = 60, HIGH = 16000, FLOOR = -105, TOP = -25;  // [Hz], [dB]
const WAVE = 2.2;  // how wide the waveform is, of the height

// black, violet, orange, white
function palette() {
    const stops = [[11, 13, 18], [49, 28, 92], [150, 44, 92], [239, 116, 52], [252, 196, 90], [255, 250, 225]];
    return Array.from({ length: 256 }, (_, i) => {
        const at = i / 255 * (stops.length - 1), k = Math.min(Math.floor(at), stops.length - 2), f = at - k;
        return stops[k].map((c, j) => c + f * (stops[k + 1][j] - c));
    });
}

export class Scope {
    constructor(canvas) {
        this.canvas = canvas;
        this.pen = canvas.getContext('2d');
        this.colours = palette();
    }

    fit() {
        const ratio = Math.min(devicePixelRatio, 2), { clientWidth, clientHeight } = this.canvas;
        const width = Math.max(Math.round(clientWidth * ratio), 2), height = Math.max(Math.round(clientHeight * ratio), 2);
        if (this.canvas.width === width && this.canvas.height === height) return;
        Object.assign(this.canvas, { width, height });
        this.split = Math.max(Math.round(width - WAVE * height), Math.round(width / 2));
        this.sound = document.createElement('canvas');
        Object.assign(this.sound, { width: this.split, height });
        this.brush = this.sound.getContext('2d', { willReadFrequently: false });
        this.brush.fillStyle = 'rgb(11,13,18)';
        this.brush.fillRect(0, 0, this.split, height);
        this.column = this.brush.createImageData(2, height);
    }

    draw(analyser) {
        this.fit();
        const { width, height } = this.canvas;
        if (analyser) this.addColumn(analyser, height);
        this.pen.drawImage(this.sound, 0, 0);
        this.pen.fillStyle = '#141822';
        this.pen.fillRect(this.split, 0, width - this.split, height);
        this.axis(height);
        if (analyser) this.wave(analyser, width, height);
    }

    addColumn(analyser, height) {
        this.bins ??= new Float32Array(analyser.frequencyBinCount);
        analyser.getFloatFrequencyData(this.bins);
        const half = analyser.context.sampleRate / 2, { data } = this.column;
        for (let y = 0; y < height; y++) {
            const hz = LOW * (HIGH / LOW) ** (1 - y / height), bin = hz / half * this.bins.length;
            const next = LOW * (HIGH / LOW) ** (1 - (y - 1) / height) / half * this.bins.length;
            let level = -200;
            for (let k = Math.floor(bin); k <= Math.max(Math.floor(next), Math.floor(bin)); k++) level = Math.max(level, this.bins[k] ?? -200);
            const colour = this.colours[Math.min(Math.max(Math.round(255 * (level - FLOOR) / (TOP - FLOOR)), 0), 255)];
            for (let x = 0; x < 2; x++) data.set([colour[0], colour[1], colour[2], 255], 4 * (2 * y + x));
        }
        this.brush.drawImage(this.sound, -2, 0);
        this.brush.putImageData(this.column, this.split - 2, 0);
    }

    axis(height) {
        const size = Math.max(Math.round(height / 11), 10 * Math.min(devicePixelRatio, 2));
        this.pen.font = `${size}px system-ui, sans-serif`;
        this.pen.fillStyle = '#ffffff90';
        for (const hz of [100, 1000, 10000]) {
            const y = height * (1 - Math.log(hz / LOW) / Math.log(HIGH / LOW));
            this.pen.fillText(hz < 1000 ? `${hz} Hz` : `${hz / 1000} kHz`, 8, Math.max(y + height / 30, size));
            this.pen.fillRect(0, y, 5, 1);
        }
    }

    wave(analyser, width, height) {
        this.samples ??= new Float32Array(1024);
        analyser.getFloatTimeDomainData(this.samples);
        const { pen, split } = this, step = (width - split) / 700;
        // begins where the wave rises through 0, so that it stands still
        let from = 0;
        while (from < 300 && !(this.samples[from] <= 0 && this.samples[from + 1] > 0)) from++;
        pen.strokeStyle = '#ffffffc0';
        pen.lineWidth = Math.max(height / 90, 1);
        pen.beginPath();
        for (let i = 0; i < 700; i++) pen.lineTo(split + i * step, height * (0.5 - 0.45 * this.samples[from + i]));
        pen.stroke();
    }
}
