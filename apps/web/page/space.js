// SPDX-License-Identifier: MIT
// Space: one scene at a time with light, ground, a camera that can be turned, and rays from the pointer. Without WebGL everything
// works but nothing three-dimensional is drawn.
import * as THREE from 'three';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

const SLOW = 70, SLOWEST = 500;  // a frame [ms]
const PLAINEST = 4;

export class Space {
    constructor(canvas) {
        this.canvas = canvas;
        this.camera = new THREE.PerspectiveCamera(35, 1, 0.01, 50);
        this.rays = new THREE.Raycaster();
        this.plainness = 0;
        try {
            const context = canvas.getContext('webgl2', { antialias: true, alpha: true });
            if (!context) throw new Error('no WebGL');
            this.renderer = new THREE.WebGLRenderer({ canvas, context });
            this.renderer.shadowMap.enabled = true;
            this.renderer.shadowMap.type = THREE.PCFShadowMap;
            this.renderer.toneMapping = THREE.ACESFilmicToneMapping;
            const maker = new THREE.PMREMGenerator(this.renderer);
            this.environment = maker.fromScene(new RoomEnvironment(), 0.04).texture;
        } catch {
            this.renderer = null;
        }
        this.clear();
    }

    clear() {
        this.scene?.traverse((thing) => {
            thing.geometry?.dispose();
            for (const material of [thing.material ?? []].flat()) material.dispose();
        });
        this.scene = new THREE.Scene();
        this.scene.environment = this.environment ?? null;
        this.scene.environmentIntensity = 0.55;
        const sun = new THREE.DirectionalLight(0xfff2dd, 2.2);
        sun.position.set(0.6, 1.6, 0.9);
        sun.castShadow = !this.plainness;
        sun.shadow.mapSize.set(1024, 1024);
        sun.shadow.radius = 6;
        sun.shadow.bias = -0.0005;
        Object.assign(sun.shadow.camera, { left: -0.5, right: 0.5, top: 0.5, bottom: -0.5, near: 0.1, far: 5 });
        this.sun = sun;
        this.scene.add(sun, sun.target, new THREE.HemisphereLight(0xbfd4ff, 0x3a3024, 0.5));
        this.orbit = null;
    }

    // a floor that shows shadows and nothing else
    floor(y = 0, size = 4) {
        const floor = new THREE.Mesh(new THREE.PlaneGeometry(size, size), new THREE.ShadowMaterial({ opacity: 0.32 }));
        floor.rotation.x = -Math.PI / 2;
        floor.position.y = y;
        floor.receiveShadow = true;
        this.scene.add(floor);
        return floor;
    }

    // where the camera looks from: angles [rad] and distance [m] about a place;
    // aside: how much farther to the right things are seen where there is room, of the width; wide: how wide they are, of the height
    look({ at = [0, 0, 0], turn = 0, tilt = 0.3, distance = 1, free = true, light = 0.5, aside = 0, wide = 1.25 }) {
        Object.assign(this.camera, { near: distance / 100, far: distance * 40 });
        this.camera.updateProjectionMatrix();
        this.orbit = { at: new THREE.Vector3(...at), turn, tilt, distance, nearest: distance * 0.4, farthest: distance * 2.5, free, aside, wide };
        Object.assign(this.sun.shadow.camera, { left: -light, right: light, top: light, bottom: -light });
        this.sun.shadow.camera.updateProjectionMatrix();
        this.place();
    }
    turn(dx, dy) {
        if (!this.orbit?.free) return;
        this.orbit.turn -= 4 * dx;
        this.orbit.tilt = Math.min(Math.max(this.orbit.tilt - 3 * dy, -0.1), 1.45);
        this.place();
    }
    zoom(factor) {
        if (!this.orbit?.free) return;
        this.orbit.distance = Math.min(Math.max(this.orbit.distance * factor, this.orbit.nearest), this.orbit.farthest);
        this.place();
    }
    place() {
        const { at, turn, tilt, distance, aside, wide } = this.orbit, { width = 1, height = 1 } = this;
        this.camera.setViewOffset(width, height, width > height ? -aside * width : 0, 0, width, height);
        // narrow windows see as much from farther away
        const far = distance * Math.max(1, wide / this.camera.aspect);
        this.camera.position.set(Math.sin(turn) * Math.cos(tilt), Math.sin(tilt), Math.cos(turn) * Math.cos(tilt)).multiplyScalar(far).add(at);
        this.camera.lookAt(at);
        this.camera.updateMatrixWorld();
    }

    // Slow machines draw no shadows, fewer pixels and fewer frames. @return whether this frame is drawn
    pace(now) {
        const took = Math.min(now - (this.drawn ?? now), SLOWEST);
        this.drawn = now;
        this.mean = 0.9 * (this.mean ?? 16) + 0.1 * took;
        if (this.mean > SLOW && this.plainness < PLAINEST) {
            this.plainness++;
            this.mean = 16;
            this.sun.castShadow = false;
        }
        this.frames = (this.frames ?? 0) + 1;
        return this.frames % Math.max(this.plainness - 1, 1) === 0;
    }
    // it was not seen for a while: that is not slow
    pause() { this.drawn = undefined; }

    fit() {
        const { clientWidth: width, clientHeight: height } = this.canvas, ratio = Math.min(devicePixelRatio, 2) / (1 + 0.5 * this.plainness);
        if (!width || !height || (this.width === width && this.height === height && this.ratio === ratio)) return;
        Object.assign(this, { width, height, ratio });
        this.camera.aspect = width / height;
        this.camera.updateProjectionMatrix();
        this.renderer?.setPixelRatio(ratio);
        this.renderer?.setSize(width, height, false);
        if (this.orbit) this.place();
    }

    render() {
        const due = this.pace(performance.now());
        this.fit();
        if (due) this.renderer?.render(this.scene, this.camera);
    }

    // a ray from x, y in the unit square (y up)
    ray(x, y) {
        this.camera.updateMatrixWorld();
        this.rays.setFromCamera(new THREE.Vector2(2 * x - 1, 2 * y - 1), this.camera);
        return this.rays;
    }

    // pixels of the page where a place is seen
    screen(place) {
        const p = place.clone().project(this.camera);
        return [(p.x + 1) / 2 * this.canvas.clientWidth, (1 - p.y) / 2 * this.canvas.clientHeight];
    }
}
export { THREE };
