// Every read of due work that a loop makes all the time, with the state of the sends that it finds.
import { v7 } from 'uuid';
import type { Sql } from '../../../../src/platform/database/database.js';
import type { SendState } from '../../../../src/scheduler/decide/lifecycle/send-state.js';
import { readPlanned, readPolls } from '../../../../src/scheduler/store/send/read-work.store.js';
import { lostSends } from '../../../../src/scheduler/store/send/recover.store.js';
import { dueRepeats } from '../../../../src/scheduler/store/send/repeat.store.js';
import { pollRoundOf, roundOf } from '../../../support/scheduler/read-ask.js';
import { SERVICE, START } from '../../../support/scheduler/world.js';

/** The page of a read further on, from the beginning. */
const FURTHER = { others: undefined, pages: new Map([[SERVICE, { room: 500, late: { at: 0 } }]]) };
export type Found = readonly { readonly id: string }[];

/** Every read of due work, and the state of the sends that it finds. */
export const READS: readonly {
  readonly name: string;
  readonly state: SendState;
  readonly read: (sql: Sql) => Promise<Found>;
}[] = [
  {
    name: 'a look ahead',
    state: 'planned',
    read: (sql) => readPlanned(sql, roundOf()),
  },
  {
    name: 'a read further on',
    state: 'planned',
    read: (sql) => readPlanned(sql, { ...roundOf(), ...FURTHER }),
  },
  { name: 'of polls', state: 'accepted', read: (sql) => readPolls(sql, { ...pollRoundOf(), work: 'p' }) },
  {
    name: 'of further polls',
    state: 'accepted',
    read: (sql) => readPolls(sql, { ...pollRoundOf(), ...FURTHER, work: 'p' }),
  },
  { name: 'of cancels', state: 'canceling', read: (sql) => readPolls(sql, { ...pollRoundOf(), work: 'c' }) },
  {
    name: 'of repeats',
    state: 'uncertain',
    read: (sql) => dueRepeats(sql, { now: START, limit: 500, without: [] }),
  },
  {
    name: 'of sends that a dead replica had fired',
    state: 'sending',
    read: async (sql) => {
      const ask = { serviceId: SERVICE, upTo: START, replica: v7(), dead: [], most: 500 };
      return (await lostSends(sql, ask)).lost;
    },
  },
];
