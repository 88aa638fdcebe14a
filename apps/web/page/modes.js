// SPDX-License-Identifier: MIT
// Reads of a .twmodes file (docs/twmodes.md) what pictures need: surface, modes, frequencies; and makes a mesh that bends.
import * as THREE from 'three';
import { toCreasedNormals } from 'three/addons/utils/BufferGeometryUtils.js';

export function readModes(buffer) {
    const view = new DataView(buffer), sections = {};
    for (let i = 0; i < view.getUint32(12, true); i++) {
        const at = 64 + 24 * i, id = String.fromCharCode(...new Uint8Array(buffer, at, 4));
        sections[id] = { offset: Number(view.getBigUint64(at + 8, true)), bytes: view.getUint32(at + 4, true) * Number(view.getBigUint64(at + 16, true)) };
    }
    const part = (id, Type) => new Type(buffer, sections[id].offset, sections[id].bytes / Type.BYTES_PER_ELEMENT);
    return { freq: part('FREQ', Float64Array), shape: part('SHAP', Float32Array), vertices: part('VERT', Float64Array), faces: part('FACE', Int32Array) };
}

// A mesh of a set, z up in the file and y up here. Corners of faces are drawn apart, so that edges stay sharp.
export class Body {
    constructor(set, material, crease = 0.6) {
        this.set = set;
        const plain = new THREE.BufferGeometry();
        plain.setAttribute('position', new THREE.BufferAttribute(Float32Array.from(set.vertices), 3));
        plain.setIndex([...set.faces]);
        const geometry = toCreasedNormals(plain, crease);
        this.positions = geometry.attributes.position;
        this.mesh = new THREE.Mesh(geometry, material);
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.group = new THREE.Group();
        this.group.rotation.x = -Math.PI / 2;
        this.group.add(this.mesh);
        this.places = Float32Array.from(set.vertices);
        plain.computeBoundingSphere();
        this.size = plain.boundingSphere.radius;
        this.centre = plain.boundingSphere.center;
        this.most = Array.from(set.freq, (_, k) => this.mostOf(k));
    }

    mostOf(mode) {
        const { shape, vertices } = this.set, n = vertices.length;
        let most = 0;
        for (let i = mode * n; i < (mode + 1) * n; i += 3) most = Math.max(most, Math.hypot(shape[i], shape[i + 1], shape[i + 2]));
        return most;
    }

    // places of all vertices under modal displacements
    bend(amounts) {
        const { shape, vertices } = this.set, n = vertices.length, { places } = this;
        places.set(vertices);
        amounts.forEach((amount, k) => {
            if (Math.abs(amount) * this.most[k] < 1e-5 * this.size) return;
            for (let i = 0, at = k * n; i < n; i++, at++) places[i] += amount * shape[at];
        });
        this.show();
    }

    // places as they are now
    show() {
        const { array } = this.positions, { faces } = this.set, { places } = this;
        for (let i = 0; i < faces.length; i++) {
            const v = 3 * faces[i];
            array[3 * i] = places[v];
            array[3 * i + 1] = places[v + 1];
            array[3 * i + 2] = places[v + 2];
        }
        this.positions.needsUpdate = true;
    }

    // the vertex nearest to where a ray meets the body, and the place
    pick(rays) {
        this.mesh.geometry.boundingSphere = null;
        const hit = rays.intersectObject(this.mesh, false)[0];
        if (!hit) return null;
        const at = this.mesh.worldToLocal(hit.point.clone()), corners = [0, 1, 2].map((k) => this.set.faces[3 * hit.faceIndex + k]);
        const gap = (v) => Math.hypot(this.places[3 * v] - at.x, this.places[3 * v + 1] - at.y, this.places[3 * v + 2] - at.z);
        const vertex = corners.reduce((best, v) => (gap(v) < gap(best) ? v : best));
        return { vertex, point: hit.point, face: corners, local: at };
    }

    // a few vertices far from each other
    spread(count) {
        const { vertices } = this.set, n = vertices.length / 3, gaps = new Float64Array(n).fill(Infinity), chosen = [0];
        while (chosen.length < count) {
            const last = chosen[chosen.length - 1];
            let far = 0;
            for (let v = 0; v < n; v++) {
                gaps[v] = Math.min(gaps[v], Math.hypot(...[0, 1, 2].map((k) => vertices[3 * v + k] - vertices[3 * last + k])));
                if (gaps[v] > gaps[far]) far = v;
            }
            chosen.push(far);
        }
        return chosen;
    }

    placeOf(vertex) { return this.mesh.localToWorld(new THREE.Vector3(...this.places.subarray(3 * vertex, 3 * vertex + 3))); }
}

// how materials look
export const looks = {
    porcelain: { color: 0xf2f0ea, roughness: 0.18, clearcoat: 1, clearcoatRoughness: 0.08 },
    glass: { color: 0xcfe6ee, roughness: 0.04, transparent: true, opacity: 0.42, envMapIntensity: 3, clearcoat: 1 },
    bronze: { color: 0xb07a3c, metalness: 1, roughness: 0.3 },
    steel: { color: 0xb9c0c9, metalness: 1, roughness: 0.25 },
    aluminium: { color: 0xd9dcdf, metalness: 1, roughness: 0.42 },
    oak: { color: 0xa9763f, roughness: 0.75 },
    ice: { color: 0xd4efff, roughness: 0.12, transparent: true, opacity: 0.7, envMapIntensity: 2, clearcoat: 1 },
    polystyrene: { color: 0xe8563f, roughness: 0.5 },
};
export function dress(material, name) {
    const plain = { color: 0xffffff, metalness: 0, roughness: 0.5, transparent: false, opacity: 1, envMapIntensity: 1, clearcoat: 0, clearcoatRoughness: 0 };
    const { color, ...rest } = { ...plain, ...looks[name] };
    material.color.set(color);
    Object.assign(material, rest);
    material.needsUpdate = true;
}
