// Fails the build if a page would load more than the budget: what index.html needs before it shows anything, and what a route adds.
import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** gzip, scripts and styles. */
const INDEX_BYTES = 260_000;
const ROUTE_BYTES = 60_000;
/** What a page loads beside itself when it needs it, by the name of its chunk. */
const APART_BYTES: Readonly<Record<string, number>> = {
  'draw-chart': 179_000,
  'code-editor': 111_000,
};

export function checkBudget(): Plugin {
  return {
    name: 'carillon:check-budget',
    apply: 'build',
    generateBundle(_options, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk');
      const entry = chunks.find(({ isEntry }) => isEntry);
      if (entry === undefined) throw new Error('the build has no entry');
      const atOnce = reached(entry, bundle);
      const index = sizeOf(atOnce, bundle);
      const faults = index > INDEX_BYTES ? [`index.html loads ${index} bytes, at most ${INDEX_BYTES}`] : [];
      for (const chunk of chunks.filter(({ isDynamicEntry }) => isDynamicEntry)) {
        const added = sizeOf(
          [...reached(chunk, bundle)].filter((file) => !atOnce.has(file)),
          bundle,
        );
        const most = APART_BYTES[chunk.name] ?? ROUTE_BYTES;
        if (added > most) faults.push(`${chunk.name} adds ${added} bytes, at most ${most}`);
        if (chunk.name in APART_BYTES) this.info(`${chunk.name} adds ${Math.round(added / 1_000)} KB (gzip)`);
      }
      if (faults.length > 0) this.error(`over the budget (gzip): ${faults.join('; ')}`);
      this.info(`index.html loads ${Math.round(index / 1_000)} KB of ${INDEX_BYTES / 1_000} KB (gzip)`);
    },
  };
}

/** The files that a chunk needs before it runs: its static imports, theirs, and all their styles. */
function reached(
  chunk: Rolldown.OutputChunk,
  bundle: Rolldown.OutputBundle,
  found = new Set<string>(),
): Set<string> {
  if (found.has(chunk.fileName)) return found;
  found.add(chunk.fileName);
  for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
  for (const name of chunk.imports) {
    const imported = bundle[name];
    if (imported?.type === 'chunk') reached(imported, bundle, found);
  }
  return found;
}

function sizeOf(names: Iterable<string>, bundle: Rolldown.OutputBundle): number {
  let bytes = 0;
  for (const name of names) {
    const file = bundle[name];
    if (file === undefined) continue;
    bytes += gzipSync(file.type === 'chunk' ? file.code : file.source, { level: 9 }).length;
  }
  return bytes;
}
