// Looks through the newest sends of occurrences, page by page and without a lock: until one is found that is open, or to
// the end, with their sums. Never writes.
import type { Sql } from '../../platform/database/database.js';
import {
  lookThrough,
  stillOpen,
  type OccurrenceKey,
  type SendsSeen,
  type Sums,
} from '../store/send/close.store.js';

export interface LookedThrough {
  readonly key: OccurrenceKey;
  /** One of those that were seen was handed off. */
  readonly begun: boolean;
  /** undefined: a send of it is open. */
  readonly sums: Omit<Sums, keyof OccurrenceKey> | undefined;
}

/** Most occurrences are small: their first page is their last. */
const FIRST_PAGE = 32;
/** Sends of one page: some 50 ms. */
const PAGE = 5_000;

interface Asked {
  readonly key: OccurrenceKey;
  readonly isOpen: boolean;
  readonly so: Omit<SendsSeen, 'seen' | 'open'>;
}

const NOTHING_SEEN: Asked['so'] = {
  expired: false,
  nothing: true,
  begun: false,
  target: 0,
  sent: 0,
  gone: 0,
  cell: null,
  chunk: null,
};

export class LookThrough {
  /** Of large occurrences: where an open send was found last. It is asked about before all others are. */
  readonly #found = new Map<string, string>();

  constructor(private readonly page = PAGE) {}

  async run(
    sql: Sql,
    occurrences: readonly (OccurrenceKey & { readonly open: boolean })[],
  ): Promise<LookedThrough[]> {
    const done: LookedThrough[] = [];
    const standing = await this.#standing(sql, occurrences);
    let asked: Asked[] = [];
    for (const { campaign, occurrence, open } of occurrences) {
      const key = { campaign, occurrence };
      if (open && standing.has(keyOf(key))) done.push({ key, begun: false, sums: undefined });
      else asked.push({ key, isOpen: open, so: NOTHING_SEEN });
    }
    for (
      let most = Math.min(FIRST_PAGE, this.page);
      asked.length > 0;
      most = Math.min(most * 10, this.page)
    ) {
      // So many sends in one statement, whatever the number of occurrences.
      const together = Math.max(1, Math.floor(PAGE / most));
      const further: Asked[] = [];
      for (let first = 0; first < asked.length; first += together) {
        const some = asked.slice(first, first + together);
        const seen = await lookThrough(
          sql,
          some.map(({ key, so: { cell, chunk } }) => ({ ...key, cell, chunk })),
          most,
        );
        for (const [index, one] of some.entries()) {
          const page = seen[index];
          if (page === undefined) throw new RangeError('an occurrence was not looked at');
          const next = this.#after(one, page, most);
          if ('sums' in next) done.push(next);
          else further.push(next);
        }
      }
      asked = further;
    }
    return done;
  }

  #after({ key, isOpen, so }: Asked, page: SendsSeen, most: number): LookedThrough | Asked {
    const isLarge = so.cell !== null;
    // Rows became sums between two pages: of which page they were is not known.
    if (isLarge && page.gone !== so.gone) return { key, isOpen, so: NOTHING_SEEN };
    const begun = so.begun || page.begun;
    if (isOpen && page.open !== null) {
      if (isLarge) this.#found.set(keyOf(key), page.open);
      return { key, begun, sums: undefined };
    }
    const now: Asked['so'] = {
      expired: so.expired || page.expired,
      nothing: so.nothing && page.nothing,
      begun,
      target: so.target + page.target,
      sent: so.sent + page.sent,
      gone: page.gone,
      cell: page.cell,
      chunk: page.chunk,
    };
    if (page.seen === most) return { key, isOpen, so: now };
    this.#found.delete(keyOf(key));
    const { target, sent } = now;
    return { key, begun, sums: { expired: now.expired && now.nothing, target, sent } };
  }

  /** Those whose open send of last time is open still. */
  async #standing(sql: Sql, occurrences: readonly OccurrenceKey[]): Promise<Set<string>> {
    const known = new Map(
      occurrences.flatMap((key) => {
        const send = this.#found.get(keyOf(key));
        return send === undefined ? [] : [[send, keyOf(key)] as const];
      }),
    );
    const open = await stillOpen(sql, [...known.keys()]);
    return new Set(open.flatMap((send) => known.get(send) ?? []));
  }
}

/** By which occurrences are told apart; of all of a campaign where none is named. */
export function keyOf({ campaign, occurrence }: { campaign: string; occurrence: string | null }): string {
  return `${campaign} ${occurrence ?? ''}`;
}
