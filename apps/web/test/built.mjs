// SPDX-License-Identifier: MIT
// Where the tests find what was built.
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
export const page = process.env.TWANG_PAGE ?? join(root, 'out/playground.html');
export const pictures = join(root, 'out/web');
export const program = join(root, 'build/bin/playground');
export const models = join(root, 'build/models');
