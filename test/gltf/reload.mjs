// SPDX-License-Identifier: MIT
// node reload.mjs FOLDER: what test_export has left there, read by three.js and by a reader of point caches written here
// after their description. A bar's points are where theory says, and every surface is the same in both kinds of file.
import fs from 'node:fs';
import path from 'node:path';
import * as THREE from 'three';
import { GLTFLoader } from 'three/examples/jsm/loaders/GLTFLoader.js';

// ---- the bar of test/bar.h: Euler and Bernoulli, length 1 m, mass 1 kg ----

const LENGTH = 1, CELLS = 40, WIDTH = 0.1, HEIGHT = 0.04;
const ROOT = [4.730040744862704, 7.853204624095838, 10.99560783800167];
const FREQ = [1.5, 4.1347, 8.1057], DECAY = [0.5, 1, 2], SIZE = [0.03, -0.01, 0.005];

// sin and sinh with the boundary conditions of free ends, written with exponentials so that nothing cancels
function shape(mode, [x, , z]) {
  const b = ROOT[mode], odd = mode % 2 === 1;
  // even modes are even about the middle: Y = (cos bs / cos b/2 + cosh bs / cosh b/2), odd ones with sines
  const s = b * (x - LENGTH / 2), h = b / 2;
  const y = odd ? -(Math.sin(s) / Math.sin(h) + Math.sinh(s) / Math.sinh(h)) : Math.cos(s) / Math.cos(h) + Math.cosh(s) / Math.cosh(h);
  const slope = b * (odd ? -(Math.cos(s) / Math.sin(h) + Math.cosh(s) / Math.sinh(h)) : -Math.sin(s) / Math.cos(h) + Math.sinh(s) / Math.cosh(h));
  return [-z * slope, 0, y];
}

function barPlace(rest, t) {
  const p = [...rest];
  for (let k = 0; k < 3; k++) {
    const q = SIZE[k] * Math.exp(-DECAY[k] * t) * Math.sin(2 * Math.PI * FREQ[k] * t), u = shape(k, rest);
    for (let i = 0; i < 3; i++) p[i] += q * u[i];
  }
  // turned by 2t about (1, 2, 2)/3 (Rodrigues), then moved
  const a = [1 / 3, 2 / 3, 2 / 3], c = Math.cos(2 * t), s = Math.sin(2 * t);
  const dot = a[0] * p[0] + a[1] * p[1] + a[2] * p[2];
  const cross = [a[1] * p[2] - a[2] * p[1], a[2] * p[0] - a[0] * p[2], a[0] * p[1] - a[1] * p[0]];
  const move = [0.3 * t, 0.1, 1 + 0.5 * t - t * t];
  return p.map((v, i) => move[i] + v * c + cross[i] * s + a[i] * dot * (1 - c));
}

// how far the bar's points are from theory over all frames, with rest places taken from the first, which must be the bar's
function barError(frames) {
  const near = (v, all) => Math.min(...all.map(a => Math.abs(v - a)));
  const rests = frames[0].points.map(p => [p[0], p[1] - 0.1, p[2] - 1]);
  for (const r of rests) {
    const off = Math.max(Math.abs(r[0] * CELLS - Math.round(r[0] * CELLS)) / CELLS,
      near(r[1], [-WIDTH / 2, WIDTH / 2]), near(r[2], [-HEIGHT / 2, HEIGHT / 2]));
    if (!(off < 2e-7)) throw new Error(`a point at ${r} is none of the bar's`);
  }
  // the exact places
  const grid = rests.map(r => [Math.round(r[0] * CELLS) / CELLS, Math.sign(r[1]) * WIDTH / 2, Math.sign(r[2]) * HEIGHT / 2]);
  let worst = 0;
  for (const { t, points } of frames)
    points.forEach((p, i) => {
      const want = barPlace(grid[i], t);
      worst = Math.max(worst, Math.hypot(p[0] - want[0], p[1] - want[1], p[2] - want[2]));
    });
  return worst;
}

// the largest displacement by vibration
function barAmplitude(times) {
  let most = 0;
  for (const t of times)
    for (let i = 0; i <= CELLS; i++) {
      let z = 0;
      for (let k = 0; k < 3; k++)
        z += SIZE[k] * Math.exp(-DECAY[k] * t) * Math.sin(2 * Math.PI * FREQ[k] * t) * shape(k, [i / CELLS, 0, 0])[2];
      most = Math.max(most, Math.abs(z));
    }
  return most;
}

// ---- readers ----

async function loadGlb(file) {
  const bytes = fs.readFileSync(file);
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  return await new Promise((resolve, reject) => new GLTFLoader().parse(buffer, '', resolve, reject));
}

// points of all meshes but the floor at times, z up again: { name: [{ t, points }] }
function play(gltf, times) {
  const mixer = new THREE.AnimationMixer(gltf.scene), out = {};
  const actions = gltf.animations.map(clip => mixer.clipAction(clip));
  for (const action of actions) {
    action.setLoop(THREE.LoopOnce);
    action.clampWhenFinished = true;
  }
  for (const t of times) {
    for (const action of actions) action.reset().play();
    mixer.setTime(t);
    gltf.scene.updateMatrixWorld(true);
    gltf.scene.traverse(mesh => {
      if (!mesh.isMesh || mesh.name === 'ground') return;
      const v = new THREE.Vector3(), points = [];
      for (let i = 0; i < mesh.geometry.attributes.position.count; i++) {
        mesh.getVertexPosition(i, v).applyMatrix4(mesh.matrixWorld);
        points.push([v.x, -v.z, v.y]);
      }
      (out[mesh.name] ??= []).push({ t, points });
    });
  }
  return out;
}

// how far out points lie in the picture of the file's camera: 1 is its edge
function furthestInView(gltf, meshes) {
  const camera = gltf.cameras[0], v = new THREE.Vector3();
  let most = 0;
  gltf.scene.updateMatrixWorld(true);
  camera.updateProjectionMatrix();
  for (const frames of Object.values(meshes))
    for (const { points } of frames)
      for (const [x, y, z] of points) {
        v.set(x, z, -y).project(camera);
        most = Math.max(most, Math.abs(v.x), Math.abs(v.y), Math.abs(v.z));
      }
  return most;
}

function loadPc2(file) {
  const b = fs.readFileSync(file);
  if (b.toString('latin1', 0, 12) !== 'POINTCACHE2\0' || b.readInt32LE(12) !== 1) throw new Error(`${file}: no PC2`);
  const points = b.readInt32LE(16), start = b.readFloatLE(20), sampling = b.readFloatLE(24), samples = b.readInt32LE(28);
  if (start !== 0 || sampling !== 1) throw new Error(`${file}: starts at ${start}, a sample every ${sampling} frames`);
  if (b.length !== 32 + 12 * points * samples) throw new Error(`${file}: ${b.length} bytes for ${samples} x ${points} points`);
  const at = (s, p, k) => b.readFloatLE(32 + 4 * (3 * (s * points + p) + k));
  return Array.from({ length: samples }, (_, s) => Array.from({ length: points }, (_, p) => [at(s, p, 0), at(s, p, 1), at(s, p, 2)]));
}

// corners of the OBJ beside a cache
function loadObj(file) {
  return fs.readFileSync(file, 'utf8').split('\n').filter(l => l.startsWith('v ')).map(l => l.split(' ').slice(1).map(Number));
}

// ---- checks ----

let failures = 0;
function check(what, value, limit) {
  const fine = value <= limit;
  console.log(`${fine ? 'ok  ' : 'FAIL'}  ${what}: ${value.toExponential(2)} (at most ${limit.toExponential(2)})`);
  if (!fine) failures++;
}

function distance(a, b) {
  if (a.length !== b.length) return Infinity;
  return Math.max(...a.map((p, i) => Math.hypot(p[0] - b[i][0], p[1] - b[i][1], p[2] - b[i][2])));
}

const folder = process.argv[2];
for (const file of fs.readdirSync(folder).filter(f => f.endsWith('.glb')).sort()) {
  const name = file.slice(0, -4), gltf = await loadGlb(path.join(folder, file));
  const { frameRate } = gltf.asset.extras, caches = path.join(folder, name);
  const clips = gltf.animations.length, moving = clips > 0;

  // at frames that do not follow each other either way, so that a player that only goes on would show
  const last = moving ? Math.round(gltf.animations[0].duration * frameRate) : 0;
  const order = [...Array(last + 1).keys()].sort((a, b) => (a * 17) % (last + 1) - (b * 17) % (last + 1));
  const meshes = play(gltf, order.map(f => f / frameRate));
  for (const frames of Object.values(meshes)) frames.sort((a, b) => a.t - b.t);

  check(`${file}: furthest point in the camera's picture`, furthestInView(gltf, meshes), 1);
  if (meshes.bar && moving && meshes.bar.length === 61 && !name.startsWith('rigid')) {
    const amplitude = barAmplitude(meshes.bar.map(f => f.t));
    check(`${file}: largest error of the bar over its amplitude of ${amplitude.toPrecision(3)} m`, barError(meshes.bar) / amplitude, 1e-5);
    const samples = loadPc2(path.join(caches, 'bar.pc2')).map((points, f) => ({ t: f / frameRate, points }));
    check(`${name}/bar.pc2: the same`, barError(samples) / amplitude, 1e-5);
  }
  for (const cache of fs.existsSync(caches) ? fs.readdirSync(caches).filter(f => f.endsWith('.pc2')).sort() : []) {
    const samples = loadPc2(path.join(caches, cache)), part = cache.slice(0, -4);
    const mesh = meshes[part];
    if (!mesh) throw new Error(`${file} has no mesh ${part}`);
    const worst = Math.max(...mesh.map((frame, f) => distance(frame.points, samples[moving ? f : 0])));
    check(`${file} against ${name}/${cache}, ${mesh.length} frames of ${samples[0].length} points [m]`, worst, 1e-6);
    check(`${name}/${part}.obj against its first sample [m]`, distance(loadObj(path.join(caches, `${part}.obj`)), samples[0]), 0);
  }
}
process.exit(failures > 0 ? 1 : 0);
