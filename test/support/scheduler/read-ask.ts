// What is read of sends with work in a round that begins at the start; a spec names only what matters.
import { WHOLE } from '../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { FRESH_MS, type ReadAsk } from '../../../src/scheduler/store/send/read-work.store.js';
import { START } from './world.js';

interface Round extends Partial<Omit<ReadAsk, 'others' | 'lateUpTo'>> {
  /** The room of every project. */
  readonly room?: number;
  /** Late work is read from beyond this instant on; default from the start. */
  readonly from?: number;
}

export function roundOf({ room = 500, from = 0, now = START, ...more }: Round = {}): Omit<ReadAsk, 'work'> {
  const lateUpTo = now - FRESH_MS;
  return {
    now,
    upTo: now + 2_000,
    lateUpTo,
    limit: 500,
    round: 1,
    slice: WHOLE,
    pages: new Map(),
    others: { room, late: { at: from }, fresh: { at: lateUpTo } },
    held: [],
    ...more,
  };
}

/** The round for polls, which are read when they are due. */
export function pollRoundOf(round: Round = {}): Omit<ReadAsk, 'work'> {
  return roundOf({ upTo: round.now ?? START, ...round });
}
