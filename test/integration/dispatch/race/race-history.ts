// Reads the changes of the race's sends, and which of them were found lost.
import type { Sql } from '../../../../src/platform/database/database.js';

export interface Change {
  readonly to: string;
  readonly code: string | null;
  readonly by: string;
}

/** Each send's changes, oldest first. */
export type Histories = ReadonlyMap<string, readonly Change[]>;

export async function histories(sql: Sql): Promise<Histories> {
  const rows = await sql.query<Change & { send: string }>(
    'select send, to_state as to, code, by from send_history order by send, sequence',
  );
  const found = new Map<string, Change[]>();
  for (const { send, ...change } of rows) found.set(send, [...(found.get(send) ?? []), change]);
  return found;
}

/** A send that others made uncertain. */
export interface Lost {
  readonly send: string;
  /** The replica that had fired it. */
  readonly by: string;
  /** How often it was fired after that. */
  readonly firedSince: number;
}

export function lostSends(all: Histories): Lost[] {
  return [...all].flatMap(([send, changes]) =>
    changes.flatMap(({ code }, at) => {
      if (code !== 'LOST_ANSWER') return [];
      const isFire = ({ to }: Change): boolean => to === 'sending';
      const fired = changes.slice(0, at).findLast(isFire);
      return [{ send, by: fired?.by ?? 'nobody', firedSince: changes.slice(at).filter(isFire).length }];
    }),
  );
}

export async function onTheWireOf(sql: Sql, by: string): Promise<number> {
  const text = "select from send where state = 'sending' and state_by = $1";
  return (await sql.query(text, [by])).length;
}
