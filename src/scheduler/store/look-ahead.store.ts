// What is due soon, read ahead of its instant. Nothing is taken by it: a row that several replicas read is fired by one of
// them (fire.store.ts), and what a replica that ends or hangs had read is read by the others.
import { columnText, textArray } from '../../platform/column-text.js';
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { Mode, ModeRule } from '../decide/mode.js';
import type { EpochMs } from '../decide/ports.js';
import type { Slice } from '../decide/slice.js';

/** What is needed to decide about a planned send; its ids and bodies are read when it is fired. */
export interface PlannedSend {
  readonly id: string;
  readonly serviceId: string;
  readonly campaign: string;
  readonly revision: number;
  readonly chunk: number;
  readonly mode: Mode;
  readonly modeRule: ModeRule;
  readonly scheduleCode: string | null;
  readonly intendedAt: EpochMs | null;
  readonly dueAt: EpochMs | null;
  readonly handOffAt: EpochMs;
  /** Made so far: who fires it makes the next. */
  readonly attempts: number;
  /** Of its state, so far. */
  readonly changes: number;
  /** It is a retry by hand of another send. */
  readonly byHand: boolean;
  readonly zone: string;
}

export interface LookAheadAsk {
  readonly now: EpochMs;
  /** Sends handed off up to here are read: now and the look-ahead. */
  readonly upTo: EpochMs;
  readonly limit: number;
  /** How many more each project may have here; any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Draws which project is served first, by weight, where `limit` cannot serve all. */
  readonly round: number;
  /** Ours; of the others' only what is late, where ours leaves room. */
  readonly slice: Slice;
  /** Sends that are here already, by id. */
  readonly held: readonly string[];
}

// Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so a million
// late sends of one cost the others nothing; within a project the earliest first, and of one instant the first chunk
// of every cell before anybody's second. What is held here stands before the rest and is passed over: it is little.
// What is late has half of the room to itself at least, and what is due now all of it: a campaign with a million late
// sends keeps no other's due ones waiting, nor these it. The newest of what is late come too, where the oldest are all
// of other campaigns: whose sends became late behind that million has its turns as well.
// sql/scheduler/functions/look_ahead.sql: planned once, 3 ms a round less.
const LOOK_AHEAD = prepared(`
select id, service_id as "serviceId", campaign, revision, chunk, mode, mode_rule as "modeRule",
       schedule_code as "scheduleCode", intended_ms as "intendedAt", due_ms as "dueAt", hand_off_ms as "handOffAt",
       attempts, changes, by_hand as "byHand", zone
  from look_ahead($1, $2, $3, $4, $5, $6, $7, $8, $9, ${textArray(10)}::uuid[])`);

/** Later than this is late: whoever was to see to it has not. */
const FRESH_MS = 1_000;

/** Locks nothing. */
export async function lookAhead(sql: Sql, ask: LookAheadAsk): Promise<PlannedSend[]> {
  return rowsOf<PlannedSend>(sql, LOOK_AHEAD, [
    new Date(ask.now),
    new Date(ask.upTo),
    new Date(ask.now - FRESH_MS),
    ask.limit,
    JSON.stringify(Object.fromEntries(ask.rooms)),
    ask.room,
    ask.round,
    ask.slice.index,
    ask.slice.of,
    ask.held.length === 0 ? '' : columnText(ask.held),
  ]);
}
