// Runs what `npm run build` made, in a process of its own, as operators do.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface Ended {
  /** null: ended by a signal. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunningProgram {
  readonly process: ChildProcess;
  /** What it has printed so far. */
  readonly stdout: string;
  readonly ended: Promise<Ended>;
}

const dist = fileURLToPath(new URL('../../dist/', import.meta.url));

/** `program` below dist/src. Nothing of the test's own environment but PATH reaches it. */
export function startCompiled(
  program: string,
  {
    args = [],
    env = {},
    input = '',
  }: { args?: readonly string[]; env?: Record<string, string>; input?: string } = {},
): RunningProgram {
  const file = `${dist}src/${program}`;
  if (!existsSync(file)) throw new Error(`${file} is not there: run "npm run build" first`);
  const child = spawn(process.execPath, [file, ...args], {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text));
  child.stdin.on('error', () => undefined).end(input);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, ...output }));
  });
  return {
    process: child,
    get stdout() {
      return output.stdout;
    },
    ended,
  };
}

/** The carillon command, to its end. */
export function carillon(
  args: readonly string[],
  env: Record<string, string>,
  input?: string,
): Promise<Ended> {
  return startCompiled('cli/carillon.js', { args, env, ...(input !== undefined && { input }) }).ended;
}
