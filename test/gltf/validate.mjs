// SPDX-License-Identifier: MIT
// node validate.mjs FILE...: every file has neither errors nor warnings by the reference validator, and no remarks but
// those about the extension that it does not know, and what that refers to.
import fs from 'node:fs';
import validator from 'gltf-validator';

const AUDIO = 'KHR_audio_rigid_bodies';

// accessors and views that the extension refers to, which to the validator nobody does
function unknownToValidator(bytes) {
  const length = bytes.readUInt32LE(12);
  const json = JSON.parse(bytes.subarray(20, 20 + length).toString('utf8'));
  const pointers = new Set([`/extensionsUsed/${(json.extensionsUsed ?? []).indexOf(AUDIO)}`]);
  for (const model of json.extensions?.[AUDIO]?.modalModels ?? [])
    for (const key of ['frequencies', 'decayRates', 'positions', 'shapes', 'indices']) {
      pointers.add(`/accessors/${model[key]}`);
      pointers.add(`/bufferViews/${json.accessors[model[key]].bufferView}`);
    }
  return pointers;
}

let failed = 0;
for (const path of process.argv.slice(2)) {
  const bytes = fs.readFileSync(path);
  const expected = unknownToValidator(bytes);
  const report = await validator.validateBytes(new Uint8Array(bytes), { uri: path, maxIssues: 0 });
  const messages = report.issues.messages.filter(m =>
    m.severity < 2 || !['UNSUPPORTED_EXTENSION', 'UNUSED_OBJECT'].includes(m.code) || !expected.has(m.pointer));
  const { numErrors, numWarnings } = report.issues;
  console.log(`${path}: ${numErrors} errors, ${numWarnings} warnings, ${report.info.totalTriangleCount} triangles, ` +
    `${report.info.animationCount} animations, ${report.info.maxInfluences} influences`);
  for (const m of messages.slice(0, 20)) console.log(`  ${m.code} at ${m.pointer}: ${m.message}`);
  if (numErrors > 0 || numWarnings > 0 || messages.length > 0) failed++;
}
if (process.argv.length < 3) console.log('validate: no files');
process.exit(failed > 0 || process.argv.length < 3 ? 1 : 0);
