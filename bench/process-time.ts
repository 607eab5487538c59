// Processor time of programs that run, as the kernel counts it: user and system, all threads, ended children with them.
import { readdirSync, readFileSync } from 'node:fs';

/** USER_HZ: the unit of /proc/<pid>/stat. */
const TICK_MS = 10;

/** The processor time of a process and of its children that have ended. */
export function processorMsOf(pid: number): number {
  const fields = fieldsOf(pid);
  return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at] ?? 0), 0) * TICK_MS;
}

/** The processor time of a PostgreSQL server: the postmaster, its backends and workers, and those that have ended. */
export function postgresMs(postmaster: number): number {
  const children = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === postmaster);
  return [postmaster, ...children].reduce((sum, pid) => sum + processorMsOf(pid), 0);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(fieldsOf(pid)[1]);
  } catch {
    return undefined;
  }
}

/** What follows the program's name, which may hold anything. */
function fieldsOf(pid: number): string[] {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}
