// Writes each file of a build once more as .br and .gz beside it, so that the scheduler packs nothing while it serves.
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Smaller files fit into one packet as they are. */
const WORTH_IT_BYTES = 1_000;

export function packAssets(): Plugin {
  return {
    name: 'carillon:pack-assets',
    apply: 'build',
    writeBundle({ dir = '' }) {
      const folder = join(dir, 'assets');
      for (const name of readdirSync(folder)) {
        const file = join(folder, name);
        if (statSync(file).size < WORTH_IT_BYTES) continue;
        const bytes = readFileSync(file);
        writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
        const params = {
          [constants.BROTLI_PARAM_QUALITY]: 9,
          [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
        };
        writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
      }
    },
  };
}
