// The files that `npm run build` made of web/, read as a whole when the first of them is asked for: pages and their parts are then of one
// build, even if another build replaces the folder while this process runs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';

/** Media types of what a build holds. A file of another ending is not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

/** Beside each file that is worth it, the build writes it packed. The first that a client takes is sent. */
const PACKINGS = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const;
export type Packing = (typeof PACKINGS)[number][0];

export interface Asset {
  readonly type: string;
  readonly plain: Buffer;
  readonly packed: readonly (readonly [packing: Packing, bytes: Buffer])[];
}

export interface BuiltDashboard {
  /** index.html, with NONCE wherever the nonce of an answer goes. */
  readonly page: string;
  /** By path, `/assets/…`. A name holds a hash of the content. */
  readonly assets: ReadonlyMap<string, Asset>;
}

/** What the build writes for a nonce (web/vite.config.ts). */
export const NONCE = '__CSP_NONCE__';

/** undefined: nothing was built. */
export function readDashboard(folder: string): BuiltDashboard | undefined {
  const page = join(folder, 'index.html');
  if (!existsSync(page)) return undefined;
  const assets = readdirSync(join(folder, 'assets'))
    .filter((name) => extname(name) in TYPES)
    .map((name) => [`/assets/${name}`, readAsset(join(folder, 'assets', name))] as const);
  return { page: readFileSync(page, 'utf8'), assets: new Map(assets) };
}

function readAsset(file: string): Asset {
  const packed = PACKINGS.filter(([, ending]) => existsSync(file + ending));
  return {
    type: TYPES[extname(file)] ?? '',
    plain: readFileSync(file),
    packed: packed.map(([packing, ending]) => [packing, readFileSync(file + ending)] as const),
  };
}

/** dist/web of this package, whether its sources run or what was compiled of them. */
export function builtFolder(): string {
  let folder = import.meta.dirname;
  while (!existsSync(join(folder, 'package.json'))) folder = dirname(folder);
  return join(folder, 'dist', 'web');
}
