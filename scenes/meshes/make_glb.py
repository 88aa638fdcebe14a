#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make chimes.glb beside this file: python3 scenes/meshes/make_glb.py. It needs nothing but Python.

What a modeller would export: meshes, a tree of nodes with their places, materials by name, custom properties, keys and a camera.
Six bars hang in a row, a mallet on a wrist on a hand that moves along strikes them, and knocks a cup off a table. Metres; z is up
here, and y in the file, as glTF has it.
"""
import json
import math
import os
import struct

FOLDER = os.path.dirname(os.path.abspath(__file__))
SPEED = 5055.0  # of sound along steel [m/s]


def y_up(v):
    return [v[0], v[2], -v[1]]


def about(axis, degrees):
    """quaternion x, y, z, w of a turn about an axis with z up, as the file has it"""
    s, c = math.sin(math.radians(degrees) / 2), math.cos(math.radians(degrees) / 2)
    return [s * x for x in y_up(axis)] + [c]


# ---- the file ----


class Glb:
    def __init__(self):
        self.json = {"asset": {"version": "2.0", "generator": "twang scenes/meshes/make_glb.py"}, "scene": 0, "scenes": [{"nodes": []}], "nodes": [],
                     "meshes": [], "materials": [], "accessors": [], "bufferViews": [], "animations": [], "cameras": []}
        self.bytes = b""

    def accessor(self, rows, kind, code, bounds=False):
        flat = [x for row in rows for x in (row if isinstance(row, (list, tuple)) else [row])]
        data = struct.pack(f"<{len(flat)}{code}", *flat)
        self.json["bufferViews"].append({"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)})
        self.bytes += data + b"\0" * (-len(data) % 4)
        entry = {"bufferView": len(self.json["bufferViews"]) - 1, "componentType": {"f": 5126, "H": 5123}[code], "count": len(rows), "type": kind}
        if bounds:
            rows = [struct.unpack(f"<{len(row)}f", struct.pack(f"<{len(row)}f", *row)) if isinstance(row, (list, tuple)) else
                    struct.unpack("<f", struct.pack("<f", row)) for row in rows]
            entry["min"] = [min(c) for c in zip(*rows)]
            entry["max"] = [max(c) for c in zip(*rows)]
        self.json["accessors"].append(entry)
        return len(self.json["accessors"]) - 1

    def material(self, name, colour):
        self.json["materials"].append({"name": name, "pbrMetallicRoughness": {"baseColorFactor": colour + [1], "metallicFactor": 0, "roughnessFactor": 0.6}})
        return len(self.json["materials"]) - 1

    def mesh(self, name, vertices, faces, material):
        positions = self.accessor([y_up(v) for v in vertices], "VEC3", "f", True)
        indices = self.accessor([i for f in faces for i in f], "SCALAR", "H")
        self.json["meshes"].append({"name": name, "primitives": [{"attributes": {"POSITION": positions}, "indices": indices, "material": material}]})
        return len(self.json["meshes"]) - 1

    def node(self, name, parent=None, at=None, **others):
        node = {"name": name, **others}
        if at:
            node["translation"] = y_up(at)
        self.json["nodes"].append(node)
        index = len(self.json["nodes"]) - 1
        home = self.json["nodes"][parent].setdefault("children", []) if parent is not None else self.json["scenes"][0]["nodes"]
        home.append(index)
        return index

    def animate(self, name, node, path, keys):
        """keys: (time, value), LINEAR"""
        times = self.accessor([k[0] for k in keys], "SCALAR", "f", True)
        values = self.accessor([k[1] for k in keys], "VEC4" if path == "rotation" else "VEC3", "f")
        self.json["animations"].append({"name": name, "channels": [{"sampler": 0, "target": {"node": node, "path": path}}],
                                        "samplers": [{"input": times, "output": values, "interpolation": "LINEAR"}]})

    def save(self, name):
        self.json["buffers"] = [{"byteLength": len(self.bytes)}]
        text = json.dumps(self.json, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with open(os.path.join(FOLDER, name), "wb") as out:
            out.write(struct.pack("<III", 0x46546C67, 2, 28 + len(text) + len(self.bytes)))
            out.write(struct.pack("<II", len(text), 0x4E4F534A) + text)
            out.write(struct.pack("<II", len(self.bytes), 0x004E4942) + self.bytes)


# ---- surfaces ----


def box(x, y, z):
    v = [((i & 1) * x - x / 2, (i >> 1 & 1) * y - y / 2, (i >> 2) * z - z / 2) for i in range(8)]
    quads = [(0, 2, 3, 1), (4, 5, 7, 6), (0, 1, 5, 4), (2, 6, 7, 3), (0, 4, 6, 2), (1, 3, 7, 5)]
    return v, [t for a, b, c, d in quads for t in ((a, b, c), (a, c, d))]


def lathe(profile, around):
    """a closed surface: profile (radius, z) runs outside from bottom to top, its ends lie on the axis"""
    v, f = [(0, 0, profile[0][1])], []
    rings = profile[1:-1]
    for r, z in rings:
        v += [(r * math.cos(2 * math.pi * k / around), r * math.sin(2 * math.pi * k / around), z) for k in range(around)]
    v.append((0, 0, profile[-1][1]))
    for k in range(around):
        n = (k + 1) % around
        f.append((0, 1 + n, 1 + k))
        for i in range(len(rings) - 1):
            a, b = 1 + i * around, 1 + (i + 1) * around
            f += [(a + k, a + n, b + n), (a + k, b + n, b + k)]
        last = 1 + (len(rings) - 1) * around
        f.append((last + k, last + n, len(v) - 1))
    return v, f


def ball(radius, rings, around):
    angles = [math.pi * i / rings for i in range(rings + 1)]
    return lathe([(radius * math.sin(a), -radius * math.cos(a)) for a in angles], around)


def cup(radius, height, wall):
    low, inner = 0.8 * radius, 0.8 * radius - wall
    outside = [(0, 0), (low / 2, 0), (low, 0)] + [(low + (radius - low) * i / 8, height * i / 8) for i in range(1, 9)]
    inside = [(inner + (radius - low) * i / 8, height * i / 8) for i in range(8, 1, -1)] + [(inner, 1.5 * wall), (inner / 2, 1.5 * wall), (0, 1.5 * wall)]
    return lathe(outside + inside, 32)


# ---- the scene ----

PITCHES = [784, 880, 1047, 1175, 1319, 1568]  # [Hz]
THICK, WIDE, STEP, HANG = 0.004, 0.024, 0.04, 0.36  # of bars; from one to the next; height of what they hang from [m]
TUNE = [0, 2, 4, 3, 5, 1]
BEAT, FIRST = 0.36, 0.5  # [s]
REACH, HEAD = 0.17, 0.012  # from the wrist to the middle of the head; its radius [m]
UP, HIT, SWEEP = -28, 7, 55  # angles of the wrist [degrees]


def bars(glb, steel):
    for i, pitch in enumerate(PITCHES):
        # free bar: f = 1.0282 h / L^2 times the speed of sound
        length = math.sqrt(1.0282 * THICK * SPEED / pitch)
        mesh = glb.mesh(f"Bar {i + 1}", *box(WIDE, THICK, length), steel)
        # hung where its lowest mode does not move, 0.2242 from its end
        glb.node(f"Bar {i + 1}", at=[STEP * i, 0, HANG - (0.5 - 0.2242) * length], mesh=mesh, extras={"twang_modes": 8, "twang_kind": "free"})


def mallet(glb, wood, nylon):
    hand = glb.node("Hand", at=[STEP * TUNE[0], 0, 0.15])
    wrist = glb.node("Wrist", parent=hand)
    stick = glb.mesh("Stick", *lathe([(0, -0.02), (0.005, -0.02), (0.005, REACH - HEAD - 0.001), (0, REACH - HEAD - 0.001)], 12), wood)
    head = glb.mesh("Head", *ball(HEAD, 12, 24), nylon)
    glb.node("Stick", parent=wrist, mesh=stick)
    glb.node("Head", parent=wrist, at=[0, 0, REACH], mesh=head)
    return hand, wrist


def keys(glb, hand, wrist):
    # the head meets the face of a bar two degrees before the wrist turns back
    y = -THICK / 2 - HEAD - REACH * math.sin(math.radians(HIT - 2))
    way, turn = [], [(0, UP)]
    for k, bar in enumerate(TUNE):
        t = FIRST + BEAT * k
        way += [(t - 0.17, bar), (t + 0.12, bar)]
        turn += [(t - 0.15, UP), (t, HIT), (t + 0.13, UP)]
    last = FIRST + BEAT * (len(TUNE) - 1)
    moves = [(t, [STEP * bar, y, 0.15]) for t, bar in way]
    # then it goes around the bars and sweeps the cup off its table
    low = [-0.16 - REACH * math.sin(math.radians(SWEEP)), 0.13 - REACH * math.cos(math.radians(SWEEP))]
    moves += [(last + 0.5, [0.0] + low), (last + 0.8, [0.06] + low), (last + 1.2, [0.24] + low), (last + 1.6, [0.2, low[0] - 0.06, low[1] + 0.05])]
    turn += [(last + 0.5, SWEEP), (last + 1.6, SWEEP)]
    glb.animate("HandAction", hand, "translation", [(t, y_up(p)) for t, p in moves])
    glb.animate("WristAction", wrist, "rotation", [(t, about((-1, 0, 0), a)) for t, a in turn])


def chimes():
    glb = Glb()
    steel, wood = glb.material("Steel.001", [0.62, 0.65, 0.7]), glb.material("oak wood", [0.55, 0.38, 0.2])
    nylon, china = glb.material("white nylon", [0.9, 0.9, 0.85]), glb.material("Porcelain", [0.85, 0.88, 0.95])
    mat = glb.material("dark rubber", [0.2, 0.2, 0.22])
    floor = glb.mesh("Ground", [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2), (0, 2, 3)], mat)
    glb.node("Ground", mesh=floor)
    bars(glb, steel)
    hand, wrist = mallet(glb, wood, nylon)
    glb.node("Table", at=[0.21, -0.16, 0.03], mesh=glb.mesh("Table", *box(0.09, 0.09, 0.06), wood))
    glb.node("Cup", at=[0.2, -0.16, 0.06], mesh=glb.mesh("Cup", *cup(0.034, 0.08, 0.0035), china), extras={"twang_modes": 12, "twang_kind": "free"})
    keys(glb, hand, wrist)
    # looks from the front, a little from above: -z of a camera is ahead
    glb.json["cameras"].append({"type": "perspective", "perspective": {"yfov": 0.66, "aspectRatio": 16 / 9, "znear": 0.01}})
    down, left = about((1, 0, 0), -6), about((0, 0, 1), 8)
    x, y, z, w = left
    a, b, c, d = down
    turn = [w * a + x * d + y * c - z * b, w * b - x * c + y * d + z * a, w * c + x * b - y * a + z * d, w * d - x * a - y * b - z * c]
    glb.node("Camera", at=[0.2, -0.78, 0.3], rotation=turn, camera=0)
    glb.save("chimes.glb")


if __name__ == "__main__":
    chimes()
