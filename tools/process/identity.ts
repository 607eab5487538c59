// Distinguishes a process from a later one with the same number, so that nobody signals a stranger's process. Never sends a
// signal itself.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** A process and when it began: the number alone is reused, on a busy machine within minutes. */
export interface ProcessIdentity {
  pid: number;
  /** Opaque; equal only for the very same process. */
  began: string;
}

/** The process that has this number now, or undefined when none runs (a zombie does not). */
export function identityOf(pid: number): ProcessIdentity | undefined {
  const began = process.platform === 'linux' ? beganOnLinux(pid) : beganByPs(pid);
  return began === undefined ? undefined : { pid, began };
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identityOf(identity.pid)?.began === identity.began;
}

/** The command line of a process, its arguments parted by blanks; empty when it is not to be had. */
export function commandOf(pid: number): string {
  try {
    if (process.platform === 'linux')
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return ps(pid, 'args=');
  } catch {
    return '';
  }
}

function beganOnLinux(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // proc(5): the name in field 2 may hold blanks and brackets, so count from the last one; state is 3, start 22.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', start] = [fields[0], fields[19]];
    if (start === undefined || 'ZX'.includes(state)) return undefined;
    return `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}/${start}`;
  } catch {
    return undefined;
  }
}

function beganByPs(pid: number): string | undefined {
  try {
    const [state = '', ...began] = ps(pid, 'stat=,lstart=').split(/\s+/);
    return state === '' || state.startsWith('Z') ? undefined : began.join(' ');
  } catch {
    return undefined;
  }
}

function ps(pid: number, columns: string): string {
  return execFileSync('ps', ['-o', columns, '-p', String(pid)], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
}
