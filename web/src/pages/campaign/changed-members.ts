// What of an event's data a revision changed: a line for each member that is new, gone or another. Pure.

export interface ChangedMember {
  /** JSON pointer in the data. */
  readonly pointer: string;
  /** JSON text; undefined: it was not there, or is no longer. */
  readonly was: string | undefined;
  readonly is: string | undefined;
}

/** Goes into objects; a list is compared as a whole, for its places mean nothing to a reader. */
export function changedMembers(was: unknown, is: unknown, pointer = ''): readonly ChangedMember[] {
  if (isObject(was) && isObject(is)) {
    const names = [...new Set([...Object.keys(was), ...Object.keys(is)])];
    return names.flatMap((name) => changedMembers(was[name], is[name], `${pointer}/${escaped(name)}`));
  }
  const [before, after] = [textOf(was), textOf(is)];
  return before === after ? [] : [{ pointer, was: before, is: after }];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textOf = (value: unknown): string | undefined =>
  value === undefined ? undefined : JSON.stringify(value);

/** RFC 6901 §3. */
const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
