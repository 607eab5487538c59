// Schemathesis, the OpenAPI fuzzer, as a program of its own: installed from PyPI into .carillon on the first use, then
// run against a service that is up. Needs Python 3.10 or newer with venv; nothing else of the project does.
import { execFile, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const VERSION = '4.32.5';
const FOLDER = fileURLToPath(new URL(`../../../../.carillon/schemathesis-${VERSION}/`, import.meta.url));
const PROGRAM = join(FOLDER, 'bin', 'schemathesis');
/** Written last: what a broken installation left is made anew. */
const STAMP = join(FOLDER, 'installed');
const HOOKS = fileURLToPath(new URL('.', import.meta.url));

/**
 * Left out, each for a reason of the interface: unknown methods are 404, not 405 (push-decisions.md, "Gateway"), without an Allow
 * header; a body may fit its schema and yet name a date that is none or two things that exclude each other; a cancelled
 * reservation and its message stay readable; and what a POST to a channel's users made has no address of its own.
 */
const NOT_CHECKED = [
  'unsupported_method',
  'allow_header_conformance',
  'positive_data_acceptance',
  'use_after_free',
  'ensure_resource_availability',
];

/** Whether there is a Python that can carry it. */
export async function hasPython(): Promise<boolean> {
  const ask = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 1)';
  return promisify(execFile)('python3', ['-c', ask]).then(
    () => true,
    () => false,
  );
}

/** Some ten seconds the first time; rejects with pip's own words. */
export async function installSchemathesis(): Promise<void> {
  if (existsSync(STAMP)) return;
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  await promisify(execFile)('python3', ['-m', 'venv', FOLDER]);
  await promisify(execFile)(join(FOLDER, 'bin', 'pip'), [
    'install',
    '--quiet',
    '--disable-pip-version-check',
    `schemathesis==${VERSION}`,
  ]);
  writeFileSync(STAMP, '');
}

export interface Fuzzing {
  readonly document: Readonly<Record<string, unknown>>;
  readonly baseUrl: string;
  /** Test cases of an operation and phase, at most. */
  readonly examples: number;
  /** Parameters of the path that have one value. */
  readonly path?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Set: every request is signed with this pair by push-interface.md §5 (signing.py). */
  readonly keys?: { readonly accessKey: string; readonly secretKey: string };
}

/** All it printed, and its exit code: 0 when it found nothing. Its last lines hold the seed. */
export async function fuzz({ document, baseUrl, examples, path = {}, headers = {}, keys }: Fuzzing): Promise<{
  code: number | null;
  output: string;
}> {
  const scratch = mkdtempSync(join(tmpdir(), 'carillon-fuzz-'));
  try {
    const config = join(scratch, 'schemathesis.toml');
    writeFileSync(config, configOf(path));
    writeFileSync(join(scratch, 'openapi.json'), JSON.stringify(document));
    const child = spawn(
      PROGRAM,
      [
        `--config-file=${config}`,
        'run',
        join(scratch, 'openapi.json'),
        `--url=${baseUrl}`,
        `--max-examples=${examples}`,
        `--exclude-checks=${NOT_CHECKED.join(',')}`,
        '--continue-on-failure',
        '--no-color',
        ...Object.entries(headers).flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
      ],
      {
        // What it remembers of a run, it keeps in the folder it runs in.
        cwd: scratch,
        env: {
          ...process.env,
          ...(keys !== undefined && {
            PYTHONPATH: HOOKS,
            PYTHONDONTWRITEBYTECODE: '1',
            SCHEMATHESIS_HOOKS: 'signing',
            SIGN_ACCESS_KEY: keys.accessKey,
            SIGN_SECRET_KEY: keys.secretKey,
          }),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    return { code, output };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** A body against its schema may also be refused for its size, or for a fault of the sandbox's. */
function configOf(path: Readonly<Record<string, string>>): string {
  return [
    '[parameters]',
    ...Object.entries(path).map(([name, value]) => `"path.${name}" = ${JSON.stringify(value)}`),
    '[checks.negative_data_rejection]',
    'expected-statuses = [400, 401, 403, 404, 409, 413, 415, 429]',
    '',
  ].join('\n');
}
