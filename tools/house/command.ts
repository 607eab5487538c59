// Runs the carillon command as an operator would, in a process of its own, and reads what it prints with --json.
import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';
import { projectRoot } from '../project.js';

export interface CommandCall {
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Goes to its standard input: secrets never stand in an argument list. */
  input?: string;
  /** The project whose dist/ it runs; this one by default. */
  root?: string | undefined;
}

/** What it printed, as JSON. Throws with its own words when its exit code is not 0. */
export async function runCarillon({
  args,
  env,
  input = '',
  root = projectRoot,
}: CommandCall): Promise<unknown> {
  const child = spawn(
    process.execPath,
    [join(root, 'dist', 'src', 'cli', 'carillon.js'), ...args, '--json'],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    },
  );
  const code = new Promise<number | null>((resolve, reject) =>
    child.once('error', reject).once('close', resolve),
  );
  child.stdin.end(input);
  const [out, errors, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), code]);
  if (exitCode !== 0)
    throw new Error(`carillon ${args[0] ?? ''} failed (exit code ${exitCode}): ${errors}${out}`);
  return out.trim() === '' ? undefined : JSON.parse(out);
}
