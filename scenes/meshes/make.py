#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make figure.obj, bunny.obj, feeder.obj, incline.obj, bat.obj and brain.obj beside this file: python3 scenes/meshes/make.py. Metres, z up; needs nothing but Python.

Figure and bunny are the zero of a sum of smooth blobs, turned into triangles by surface nets: one vertex in every cell of a grid that the
surface passes, at the mean of where it cuts the cell's edges, and a quad around every edge that it cuts.
"""
import math
import os

FOLDER = os.path.dirname(os.path.abspath(__file__))


def save(name, title, vertices, faces):
    with open(os.path.join(FOLDER, name), "w", encoding="ascii") as out:
        out.write(f"# {title} (made by make.py)\n")
        for v in vertices:
            out.write("v " + " ".join(f"{x:.5g}" for x in v) + "\n")
        for f in faces:
            out.write("f " + " ".join(str(i + 1) for i in f) + "\n")


# ---- blobs ----


def capsule(p, a, b, ra, rb):
    """distance from a line that is ra thick at a, rb at b"""
    ab = [y - x for x, y in zip(a, b)]
    ap = [y - x for x, y in zip(a, p)]
    length = sum(x * x for x in ab)
    s = min(max(sum(x * y for x, y in zip(ap, ab)) / length, 0), 1)
    return math.dist(p, [x + s * y for x, y in zip(a, ab)]) - (ra + s * (rb - ra))


def ellipsoid(p, centre, radii):
    q = [(x - c) / r for x, c, r in zip(p, centre, radii)]
    size = math.sqrt(sum(x * x for x in q))
    slope = math.sqrt(sum((x / r) ** 2 for x, r in zip(q, radii)))
    return size * (size - 1) / slope if slope > 0 else -min(radii)


def melt(a, b, k):
    h = max(k - abs(a - b), 0) / k
    return min(a, b) - h * h * k / 4


def figure(p):
    d = ellipsoid(p, (-0.01, 0, 0.165), (0.1, 0.068, 0.07))
    d = melt(d, ellipsoid(p, (-0.105, 0, 0.2), (0.03, 0.03, 0.035)), 0.03)
    d = melt(d, capsule(p, (0.06, 0, 0.18), (0.1, 0, 0.28), 0.034, 0.026), 0.04)
    d = melt(d, ellipsoid(p, (0.108, 0, 0.3), (0.042, 0.036, 0.036)), 0.02)
    d = melt(d, capsule(p, (0.145, 0, 0.3), (0.205, 0, 0.276), 0.019, 0.011), 0.03)
    for side in (-1, 1):
        d = melt(d, capsule(p, (0, 0.034 * side, 0.13), (0.005, 0.04 * side, 0.016), 0.019, 0.015), 0.03)
        d = melt(d, ellipsoid(p, (0.03, 0.042 * side, 0.006), (0.052, 0.03, 0.02)), 0.03)
        d = melt(d, ellipsoid(p, (-0.01, 0.07 * side, 0.18), (0.055, 0.016, 0.034)), 0.03)
    return max(d, -p[2])  # feet are flat


def bunny(p):
    d = ellipsoid(p, (-0.03, 0, 0.085), (0.085, 0.062, 0.07))
    d = melt(d, ellipsoid(p, (0.035, 0, 0.085), (0.05, 0.05, 0.066)), 0.03)
    d = melt(d, ellipsoid(p, (0.075, 0, 0.155), (0.05, 0.042, 0.042)), 0.025)
    d = melt(d, ellipsoid(p, (0.112, 0, 0.145), (0.024, 0.026, 0.022)), 0.02)
    d = melt(d, ellipsoid(p, (-0.115, 0, 0.062), (0.026, 0.026, 0.026)), 0.015)
    for side in (-1, 1):
        d = melt(d, ellipsoid(p, (-0.045, 0.052 * side, 0.05), (0.05, 0.026, 0.046)), 0.02)
        d = melt(d, ellipsoid(p, (0, 0.054 * side, 0.012), (0.062, 0.024, 0.02)), 0.015)
        d = melt(d, ellipsoid(p, (0.07, 0.026 * side, 0.014), (0.042, 0.019, 0.022)), 0.02)
        d = melt(d, capsule(p, (0.06, 0.022 * side, 0.185), (0.02, 0.036 * side, 0.265), 0.017, 0.015), 0.02)
    return max(d, -p[2])  # paws are flat


def nets(field, low, high, cell):
    n = [int(math.ceil((b - a) / cell)) + 1 for a, b in zip(low, high)]
    place = lambda i: tuple(a + k * cell for a, k in zip(low, i))
    value = {}
    grid = [(i, j, k) for i in range(n[0]) for j in range(n[1]) for k in range(n[2])]
    for i in grid:
        value[i] = field(place(i))
    axes = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    add = lambda a, b: (a[0] + b[0], a[1] + b[1], a[2] + b[2])
    corners = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    edges = [(c, add(c, d)) for c in corners for d in axes if add(c, d) in corners]
    vertices, number, faces = [], {}, []
    for i in grid:
        if max(x + 1 - m for x, m in zip(i, n)) >= 0:
            continue
        cuts = []
        for a, b in edges:
            p, q = add(i, a), add(i, b)
            u, v = value[p], value[q]
            if (u < 0) != (v < 0):
                s = u / (u - v)
                cuts.append([x + s * (y - x) for x, y in zip(place(p), place(q))])
        if cuts:
            number[i] = len(vertices)
            vertices.append([sum(c[k] for c in cuts) / len(cuts) for k in range(3)])
    for i in grid:
        for k, d in enumerate(axes):
            j = add(i, d)
            if j not in value or (value[i] < 0) == (value[j] < 0):
                continue
            u, v = axes[(k + 1) % 3], axes[(k + 2) % 3]
            back = lambda *by: tuple(x - sum(b[m] for b in by) for m, x in enumerate(i))
            quad = [number[c] for c in (i, back(u), back(u, v), back(v))]
            if value[i] >= 0:
                quad.reverse()
            faces += [(quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])]
    return vertices, faces


def smoothed(vertices, faces, floor, times):
    """vertices drawn to the mean of their neighbours and back (Taubin 1995), those on the floor along it"""
    around = [set() for _ in vertices]
    for a, b, c in faces:
        around[a] |= {b, c}
        around[b] |= {a, c}
        around[c] |= {a, b}
    low = [v[2] < floor for v in vertices]
    for step in [0.5, -0.52] * times:
        mean = [[sum(vertices[j][k] for j in near) / len(near) for k in range(3)] for near in around]
        vertices = [[x + step * (m - x) for x, m in zip(v, w)] for v, w in zip(vertices, mean)]
    return [[v[0], v[1], 0 if on else max(v[2], 0)] for v, on in zip(vertices, low)], faces


# ---- turned and folded ----


def turned(profile, around):
    """a body of revolution about x from (x, radius) pairs, closed by two points"""
    vertices = [(profile[0][0] - 0.4 * profile[0][1], 0, 0)]
    for x, r in profile:
        vertices += [(x, r * math.cos(2 * math.pi * k / around), r * math.sin(2 * math.pi * k / around)) for k in range(around)]
    vertices.append((profile[-1][0] + 0.5 * profile[-1][1], 0, 0))
    last, faces = len(vertices) - 1, []
    for k in range(around):
        l = (k + 1) % around
        faces.append((0, 1 + l, 1 + k))
        for ring in range(len(profile) - 1):
            a, b = 1 + ring * around, 1 + (ring + 1) * around
            faces += [(a + k, a + l, b + l), (a + k, b + l, b + k)]
        faces.append((last - around + k, last - around + l, last))
    return vertices, faces


def bat():
    def radius(s):
        knob = 0.010 * math.exp(-((s / 0.035) ** 2))
        return 0.0125 + knob + 0.020 / (1 + math.exp(-(s - 0.52) / 0.075))

    return turned([(0.84 * s, radius(s)) for s in [k / 36 for k in range(37)]], 20)


def folded(centre, radii, phase, rows, around):
    """an ellipsoid with folds like those of a brain"""
    vertices, faces = [], []
    for i in range(rows + 1):
        polar = math.pi * (i + 0.02) / (rows + 0.04)
        for k in range(around):
            turn = 2 * math.pi * k / around
            d = (math.sin(polar) * math.cos(turn), math.sin(polar) * math.sin(turn), math.cos(polar))
            wave = math.sin(11 * d[0] + 3 * math.sin(5 * d[1] + phase)) + math.sin(9 * d[2] + 3 * math.sin(6 * d[0] - phase))
            size = 1 - 0.14 * math.exp(-4 * wave * wave)
            vertices.append(tuple(c + size * r * x for c, r, x in zip(centre, radii, d)))
    for i in range(rows):
        for k in range(around):
            l = (k + 1) % around
            a, b = i * around, (i + 1) * around
            faces += [(a + k, b + k, b + l), (a + k, b + l, a + l)]
    return vertices, faces


def raised(xs, ys, low, high, solid):
    """columns over a grid of lines from low(x, y) to high(x, y), where solid(i, j); walls between them and what is not"""
    vertices, number, faces = [], {}, []

    def corner(i, j, top):
        if (i, j, top) not in number:
            number[i, j, top] = len(vertices)
            vertices.append((xs[i], ys[j], (high if top else low)(xs[i], ys[j])))
        return number[i, j, top]

    def quad(a, b, c, d):
        faces.extend([(a, b, c), (a, c, d)])

    has = lambda i, j: 0 <= i < len(xs) - 1 and 0 <= j < len(ys) - 1 and solid(i, j)
    for i in range(len(xs) - 1):
        for j in range(len(ys) - 1):
            if not has(i, j):
                continue
            around = ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1))
            quad(*(corner(*c, True) for c in around))
            quad(*(corner(*c, False) for c in reversed(around)))
            for k, beside in enumerate(((i, j - 1), (i + 1, j), (i, j + 1), (i - 1, j))):
                a, b = around[k], around[(k + 1) % 4]
                if not has(*beside):
                    quad(corner(*a, False), corner(*b, False), corner(*b, True), corner(*a, True))
    return vertices, faces


def boxes(lines, solid):
    """what is solid of the cells between lines along x, y, z"""
    vertices, number, faces = [], {}, []
    size = [len(line) - 1 for line in lines]
    has = lambda c: all(0 <= x < n for x, n in zip(c, size)) and solid(*c)

    def corner(c):
        if c not in number:
            number[c] = len(vertices)
            vertices.append(tuple(line[x] for line, x in zip(lines, c)))
        return number[c]

    for c in [(i, j, k) for i in range(size[0]) for j in range(size[1]) for k in range(size[2])]:
        for d in range(3):
            for side in (0, 1):
                beside = tuple(x + (2 * side - 1) * (m == d) for m, x in enumerate(c))
                if not has(c) or has(beside):
                    continue
                step = [[int(m == (d + 1 + n) % 3) for m in range(3)] for n in (0, 1)]
                low = [x + side * (m == d) for m, x in enumerate(c)]
                quad = [corner(tuple(x + a * u + b * v for x, u, v in zip(low, *step))) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
                if side == 0:
                    quad.reverse()
                faces += [(quad[0], quad[1], quad[2]), (quad[0], quad[2], quad[3])]
    return vertices, faces


def feeder():
    """a block of 160 x 380 x 16.1 mm with two square holes that a marble of 16 mm falls into, and a rail beside each"""
    hole, top, half = 0.017, 0.00805, 0.19
    rail = (0.1345, 0.1384)  # 0.1 mm from a tube of radius 11.5 mm
    xs = [-0.08, 0.06 - hole / 2, 0.06 + hole / 2, 0.08]
    ys = [0.15 - hole / 2, 0.15 + hole / 2, half, *rail]
    ys = sorted(ys + [-y for y in ys])
    holes, rails = (ys.index(0.15 - hole / 2), ys.index(-0.15 - hole / 2)), (ys.index(rail[0]), ys.index(-rail[1]))
    return boxes((xs, ys, [-top, top, top + 0.012]), lambda i, j, k: j in rails if k else not (i == 1 and j in holes))


def incline():
    """a way 2 m long: level, then down by 1 in 7 over bumps, then level again; its top begins at z = 0 in x = 0"""

    def top(x, _):
        s = min(max(x - 0.42, 0), 1.2)
        ease = 0.06 * (1 - math.exp(-(s / 0.06) ** 2)) if s > 0 else 0
        fall = (s - ease) / 7
        bump = 0.004 * sum(math.exp(-(((x - c) / 0.014) ** 2)) for c in (0.7, 0.86, 0.98, 1.12, 1.22, 1.36, 1.46))
        return bump - fall

    xs = sorted({0, 0.36} | {round(0.42 + 0.01 * k, 4) for k in range(127)} | {1.8, 2.05})
    return raised(xs, [-0.2, 0.2], lambda x, y: -0.23, top, lambda i, j: True)


def join(*parts):
    vertices, faces = [], []
    for v, f in parts:
        faces += [tuple(i + len(vertices) for i in face) for face in f]
        vertices += v
    return vertices, faces


def brain():
    """two halves that cut into each other and are open at their poles, a stem, and a loose fin of three leaves that share an edge"""
    halves = [folded((0, 0.027 * s, 0.072), (0.08, 0.034, 0.056), 1.3 * s, 30, 40) for s in (-1, 1)]
    low = folded((-0.05, 0, 0.03), (0.03, 0.042, 0.022), 0.4, 12, 22)
    fin = [(-0.05, 0, 0.09), (0.05, 0, 0.09), (-0.04, 0, 0.12), (0.04, 0, 0.12)]
    fin += [(-0.04, 0.007, 0.118), (0.04, 0.007, 0.118), (-0.04, -0.007, 0.118), (0.04, -0.007, 0.118)]
    leaves = [(0, 1, 3), (0, 3, 2), (0, 1, 5), (0, 5, 4), (0, 1, 7), (0, 7, 6)]
    return join(halves[0], halves[1], low, (fin, leaves))


if __name__ == "__main__":
    save("figure.obj", "a fat bird that stands on z = 0", *smoothed(*nets(figure, (-0.16, -0.11, -0.0155), (0.24, 0.11, 0.36), 0.01), 0.002, 3))
    save("bunny.obj", "a rabbit that sits on z = 0", *smoothed(*nets(bunny, (-0.155, -0.095, -0.0155), (0.155, 0.095, 0.3), 0.0087), 0.002, 3))
    save("feeder.obj", "a block with two holes", *feeder())
    save("incline.obj", "a bumpy way down along x", *incline())
    save("bat.obj", "a bat along x, its handle at x = 0", *bat())
    save("brain.obj", "a folded surface that is no solid: open, self-intersecting, edges with three faces", *brain())
