// Sums the newest sends of occurrences, page by page and without a lock. It stops at the first send that is open: such an
// occurrence has no sums yet. Never writes.
import type { Sql } from '../../platform/database/database.js';
import {
  sumNewestSends,
  stillOpen,
  type OccurrenceKey,
  type SendsSeen,
  type Sums,
} from '../store/send/close.store.js';

export interface SummedOccurrence extends OccurrenceKey {
  /** At least one of the sends that were read was handed off. */
  readonly begun: boolean;
  /** Undefined while a send is open. */
  readonly sums: Omit<Sums, keyof OccurrenceKey> | undefined;
}

/** Most occurrences are small: their first page is their last. */
const FIRST_PAGE = 32;
/** Sends of one page: some 50 ms. */
const PAGE = 5_000;

type TouchedOccurrence = OccurrenceKey & { readonly open: boolean };

/** An occurrence with the sums of its pages so far. */
interface InProgress {
  readonly of: TouchedOccurrence;
  readonly sums: Omit<SendsSeen, 'seen' | 'open'>;
}

const NOTHING_SUMMED: InProgress['sums'] = {
  expired: false,
  nothing: true,
  begun: false,
  target: 0,
  sent: 0,
  gone: 0,
  cell: null,
  chunk: null,
};

export class SumNewestSends {
  /** Large occurrences only: the open send that was found last. It is read before all others. */
  readonly #lastOpen = new Map<string, string>();

  constructor(private readonly page = PAGE) {}

  async run(sql: Sql, occurrences: readonly TouchedOccurrence[]): Promise<SummedOccurrence[]> {
    const done: SummedOccurrence[] = [];
    const stillOpenOnes = await this.#stillOpen(sql, occurrences);
    let waiting: InProgress[] = [];
    for (const occurrence of occurrences) {
      if (occurrence.open && stillOpenOnes.has(keyOf(occurrence)))
        done.push({ ...occurrence, begun: false, sums: undefined });
      else waiting.push({ of: occurrence, sums: NOTHING_SUMMED });
    }
    for (let most = Math.min(FIRST_PAGE, this.page); waiting.length > 0;) {
      // One statement reads at most PAGE sends, whatever the number of occurrences.
      const together = Math.max(1, Math.floor(PAGE / most));
      const further: InProgress[] = [];
      for (let first = 0; first < waiting.length; first += together) {
        const batch = waiting.slice(first, first + together);
        const pages = await sumNewestSends(
          sql,
          batch.map(({ of, sums: { cell, chunk } }) => ({ ...of, cell, chunk })),
          most,
        );
        for (const [index, one] of batch.entries()) {
          const page = pages[index];
          if (page === undefined) throw new RangeError('an occurrence was not read');
          const next = this.#after(one, page, most);
          if ('of' in next) further.push(next);
          else done.push(next);
        }
      }
      waiting = further;
      most = Math.min(most * 10, this.page);
    }
    return done;
  }

  #after({ of, sums }: InProgress, page: SendsSeen, most: number): SummedOccurrence | InProgress {
    const isLarge = sums.cell !== null;
    // Between the two pages retention replaced rows by sums. Nobody knows to which page those rows belonged, so it starts again.
    if (isLarge && page.gone !== sums.gone) return { of, sums: NOTHING_SUMMED };
    const begun = sums.begun || page.begun;
    if (of.open && page.open !== null) {
      if (isLarge) this.#lastOpen.set(keyOf(of), page.open);
      return { ...of, begun, sums: undefined };
    }
    const expired = sums.expired || page.expired;
    const nothing = sums.nothing && page.nothing;
    const target = sums.target + page.target;
    const sent = sums.sent + page.sent;
    const { gone, cell, chunk } = page;
    if (page.seen === most) return { of, sums: { expired, nothing, begun, target, sent, gone, cell, chunk } };
    this.#lastOpen.delete(keyOf(of));
    return { ...of, begun, sums: { expired: expired && nothing, target, sent } };
  }

  /** The occurrences whose open send of last time is still open. */
  async #stillOpen(sql: Sql, occurrences: readonly OccurrenceKey[]): Promise<Set<string>> {
    const known = new Map<string, string>();
    for (const key of occurrences.map(keyOf)) {
      const send = this.#lastOpen.get(key);
      if (send !== undefined) known.set(send, key);
    }
    const open = await stillOpen(sql, [...known.keys()]);
    return new Set(open.flatMap((send) => known.get(send) ?? []));
  }
}

/** The key of an occurrence; without an occurrence, of the whole campaign. */
export function keyOf({ campaign, occurrence }: { campaign: string; occurrence: string | null }): string {
  return `${campaign} ${occurrence ?? ''}`;
}
