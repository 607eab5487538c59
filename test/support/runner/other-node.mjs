// The Node.js of the image (deploy/Dockerfile), for `npm run test:long` under another: npm's package that holds its program
// for this machine and nothing else. NODE_24 names one that is there already.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

/** Where it lies; fetched from the npm registry once and kept below .carillon. Throws where it cannot be had. */
export function node24() {
  const given = process.env.NODE_24;
  if (given !== undefined && given !== '') return given;
  const { platform, arch } = process;
  const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${platform}-${arch}`;
  const folder = join(root, '.carillon', 'node-24');
  const program = join(folder, 'node_modules', name, 'bin', 'node');
  if (existsSync(program)) return program;
  mkdirSync(folder, { recursive: true });
  const npm = process.env.npm_execpath;
  const [command, ...before] = npm === undefined ? ['npm'] : [process.execPath, npm];
  const args = ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts'];
  const quiet = ['--no-audit', '--no-fund'];
  const done = spawnSync(command, [...before, ...args, ...quiet, `${name}@24`], {
    stdio: ['ignore', 2, 2],
  });
  if (done.status === 0 && existsSync(program)) return program;
  throw new Error(`npm install ${name}@24 did not bring Node 24: set NODE_24 to one`);
}
