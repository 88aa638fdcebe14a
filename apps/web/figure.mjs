// SPDX-License-Identifier: MIT
// A sitting cat, as an OBJ on stdout: balls and rods that run into each other smoothly, cut into triangles by marching tetrahedra.
// Metres, z up, on z = 0.
// It is drawn 9 cm high and written twice as large.

const PARTS = [  // [from, to, radius at from, radius at to]
    [[0, -0.004, 0.018], [0, 0.001, 0.044], 0.021, 0.014],        // body
    [[0, 0.006, 0.066], [0, 0.010, 0.066], 0.0165, 0.0155],       // head
    [[-0.009, 0.004, 0.079], [-0.012, 0.002, 0.090], 0.006, 0.0022], // ears
    [[0.009, 0.004, 0.079], [0.012, 0.002, 0.090], 0.006, 0.0022],
    [[-0.0085, 0.013, 0.042], [-0.009, 0.019, 0.006], 0.0066, 0.006], // front legs
    [[0.0085, 0.013, 0.042], [0.009, 0.019, 0.006], 0.0066, 0.006],
    [[-0.009, 0.023, 0.0055], [-0.009, 0.026, 0.0055], 0.0058, 0.005], // front paws
    [[0.009, 0.023, 0.0055], [0.009, 0.026, 0.0055], 0.0058, 0.005],
    [[-0.017, -0.004, 0.013], [-0.017, 0.010, 0.0085], 0.012, 0.008], // haunches
    [[0.017, -0.004, 0.013], [0.017, 0.010, 0.0085], 0.012, 0.008],
    [[0, -0.022, 0.008], [0.018, -0.024, 0.0065], 0.0065, 0.006], // tail
    [[0.018, -0.024, 0.0065], [0.029, -0.012, 0.0065], 0.006, 0.005],
    [[0, 0.023, 0.063], [0, 0.0255, 0.063], 0.0065, 0.005],       // snout
];
const BLEND = 0.006, CELL = +(process.argv[2] ?? 0.0036), LOW = [-0.037, -0.036, -0.0036], HIGH = [0.037, 0.036, 0.098];

const sub = (a, b) => a.map((x, i) => x - b[i]), dot = (a, b) => a.reduce((s, x, i) => s + x * b[i], 0);

function rod(p, [a, b, ra, rb]) {
    const d = sub(b, a), t = Math.min(Math.max(dot(sub(p, a), d) / dot(d, d), 0), 1);
    return Math.hypot(...p.map((x, i) => x - a[i] - t * d[i])) - (ra + t * (rb - ra));
}
function field(p) {
    let all = 1;
    for (const part of PARTS) {
        const d = rod(p, part), h = Math.max(BLEND - Math.abs(all - d), 0) / BLEND;
        all = Math.min(all, d) - h * h * BLEND / 4;
    }
    return Math.max(all, 0.001 - p[2]);  // it sits flat
}

const count = LOW.map((low, i) => Math.ceil((HIGH[i] - low) / CELL) + 1);
const index = (i, j, k) => (k * count[1] + j) * count[0] + i;
const value = [], place = [];
for (let k = 0; k < count[2]; k++)
    for (let j = 0; j < count[1]; j++)
        for (let i = 0; i < count[0]; i++) {
            const p = [LOW[0] + i * CELL, LOW[1] + j * CELL, LOW[2] + k * CELL], v = field(p);
            place.push(p);
            value.push(Math.abs(v) < 0.08 * CELL ? 0.08 * CELL * (v < 0 ? -1 : 1) : v);  // keeps triangles from being slivers
        }

const vertices = [], faces = [], known = new Map();
function cut(a, b) {
    const key = a < b ? `${a} ${b}` : `${b} ${a}`;
    if (!known.has(key)) {
        const t = value[a] / (value[a] - value[b]);
        vertices.push(place[a].map((x, i) => x + t * (place[b][i] - x)));
        known.set(key, vertices.length);
    }
    return known.get(key);
}
// outward: away from the corner inside
function face(inside, ...corners) {
    const [a, b, c] = corners.map((k) => vertices[k - 1]), u = sub(b, a), v = sub(c, a);
    const n = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    faces.push(dot(n, sub(place[inside], a)) > 0 ? [corners[0], corners[2], corners[1]] : corners);
}
function tet(corners) {
    const inside = corners.filter((c) => value[c] < 0), outside = corners.filter((c) => value[c] >= 0);
    if (inside.length === 1) face(inside[0], ...outside.map((o) => cut(inside[0], o)));
    if (inside.length === 3) face(inside[0], ...inside.map((i) => cut(i, outside[0])));
    if (inside.length !== 2) return;
    const [p, q] = inside, [r, s] = outside, ring = [cut(p, r), cut(p, s), cut(q, s), cut(q, r)];
    face(p, ring[0], ring[1], ring[2]);
    face(p, ring[0], ring[2], ring[3]);
}
// six tets about the diagonal of each cell
const ORDERS = [[1, 2, 4], [2, 1, 4], [1, 4, 2], [4, 1, 2], [2, 4, 1], [4, 2, 1]];
for (let k = 0; k + 1 < count[2]; k++)
    for (let j = 0; j + 1 < count[1]; j++)
        for (let i = 0; i + 1 < count[0]; i++)
            for (const order of ORDERS) {
                let bits = 0;
                tet([0, ...order].map((bit) => (bits |= bit, index(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2 & 1)))));
            }

console.log('# a sitting cat; SPDX-License-Identifier: MIT');
for (const v of vertices) console.log('v', ...v.map((x) => (2 * x).toFixed(6)));
for (const f of faces) console.log('f', ...f);
