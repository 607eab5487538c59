// Starts the bench's programs, each in a process of its own, and ends them.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { NODE_OPTIONS } from '../../tools/house/node-options.js';

export interface Program {
  readonly pid: number;
  /** The next line it prints that `wanted` takes. Rejects when it ends first. */
  line(wanted?: (text: string) => boolean): Promise<string>;
  /** Ends it in good order. */
  stop(): Promise<void>;
}

/** `root`: its working directory. Its standard error is ours; its input ends with this process. */
export function startProgram(
  root: string,
  file: string,
  { args = [], env = {} }: { args?: readonly string[]; env?: Readonly<Record<string, string>> } = {},
): Program {
  const child = spawn(process.execPath, [...flags(), file, ...args], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines: string[] = [];
  const reader = createInterface({ input: child.stdout });
  reader.on('line', (text) => lines.push(text));
  const ended = once(child, 'exit').then(() => false);
  return {
    pid: child.pid ?? 0,
    line: async (wanted = () => true) => {
      for (;;) {
        const at = lines.findIndex(wanted);
        if (at >= 0) return lines.splice(0, at + 1)[at] ?? '';
        lines.length = 0;
        const more = await Promise.race([once(reader, 'line').then(() => true), ended]);
        if (!more && !lines.some(wanted)) throw new Error(`${file} ended with ${child.exitCode}`);
      }
    },
    stop: async () => {
      if (!isRunning(child)) return;
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

/** As the scheduler is started, whoever it is. BENCH_PROFILE names a folder: every program leaves a processor profile there. */
function flags(): string[] {
  const folder = process.env['BENCH_PROFILE'];
  return [
    ...NODE_OPTIONS.scheduler,
    ...(folder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${folder}`]),
  ];
}
