// What is due soon, read ahead of its instant. Nothing is taken by it: a row that several replicas read is fired by one of
// them (fire.store.ts), and what a replica that ends or hangs had read is read by the others.
import { arrayText } from '../../../platform/database/columns.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Mode, ModeRule } from '../../decide/timing/mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { Slice } from '../../decide/lifecycle/slice.js';
import { EVERY_DAY, type Days } from './work-days.store.js';

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

/** A place in the index send_work: of the last row read. */
export interface ReadPlace {
  /** The row's next_at. */
  readonly at: EpochMs;
  readonly chunk: number;
  readonly id: string;
}

export interface AheadSend extends PlannedSend {
  /** Ours and not late; late, ours or others'; or read because it is the newest of what is late. */
  readonly part: 'fresh' | 'late' | 'others' | 'newest';
}

interface Ask {
  readonly now: EpochMs;
  /** Sends handed off up to here are read: now and the look-ahead. */
  readonly upTo: EpochMs;
  readonly limit: number;
  /** Draws which project is served first, by weight, where `limit` cannot serve all. */
  readonly round: number;
  /** Ours; of the others' only what is late, where ours leaves room. */
  readonly slice: Slice;
  /** Those that may hold work; left out, all. */
  readonly days?: Days;
}

export interface LookAheadAsk extends Ask {
  /** How many more each project may have here; any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Sends that are here already, by id. */
  readonly held: readonly string[];
  /** What is late is read from beyond these instants on, of any other project beyond `others`; left out: from the start. */
  readonly floors?:
    { readonly ofProjects: ReadonlyMap<string, EpochMs>; readonly others: EpochMs | null } | undefined;
}

const COLUMNS = `
select id, service_id as "serviceId", campaign, revision, chunk, mode, mode_rule as "modeRule",
       schedule_code as "scheduleCode", intended_ms as "intendedAt", due_ms as "dueAt", hand_off_ms as "handOffAt",
       attempts, changes, by_hand as "byHand", zone, part`;

// Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so a million
// late sends of one cost the others nothing; within a project the earliest first, and of one instant the first chunk
// of every cell before anybody's second. What is held here stands before the rest and is passed over.
// What is late has half of the room to itself at least, and what is due now all of it: a campaign with a million late
// sends keeps no other's due ones waiting, nor these it. The newest of what is late come too, where the oldest are all
// of other campaigns: whose sends became late behind that million has its turns as well.
// sql/scheduler/functions/look_ahead.sql: 5 ms, and 3 µs for each that is held.
const LOOK_AHEAD = prepared(`${COLUMNS}
  from look_ahead($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`);

/** Later than this is late: whoever was to see to it has not. */
export const FRESH_MS = 1_000;

/** What is held is passed over. Locks nothing. */
export async function lookAhead(sql: Sql, ask: LookAheadAsk): Promise<AheadSend[]> {
  const { slice, floors, days = EVERY_DAY } = ask;
  const others = floors?.others ?? null;
  return sql.query<AheadSend>(LOOK_AHEAD, [
    new Date(ask.now),
    new Date(ask.upTo),
    new Date(ask.now - FRESH_MS),
    ask.limit,
    JSON.stringify(Object.fromEntries(ask.rooms)),
    ask.room,
    JSON.stringify(Object.fromEntries(floors?.ofProjects ?? [])),
    others === null ? null : new Date(others),
    ask.round,
    slice.index,
    slice.of,
    arrayText(ask.held, 'uuid'),
    days.lows,
    days.highs,
    days.few,
  ]);
}

/** What is to be read on from a place: of one project what is late, or what is not. */
export interface Further {
  readonly serviceId: string;
  readonly part: 'fresh' | 'late';
  readonly room: number;
  readonly after: ReadPlace;
}

export interface LookFurtherAsk extends Ask {
  readonly further: readonly Further[];
}

// The same index, from a place on: neither what is held here nor what is on the wire stands before it. It may meet what is
// held all the same, for what is read beside the earliest lies further on. sql/scheduler/functions/look_further.sql: 1 ms,
// and 2 µs for each row.
const LOOK_FURTHER = prepared(`${COLUMNS}
  from look_further($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)`);

/** Locks nothing. */
export async function lookFurther(sql: Sql, ask: LookFurtherAsk): Promise<AheadSend[]> {
  const { further, slice, days = EVERY_DAY } = ask;
  return sql.query<AheadSend>(LOOK_FURTHER, [
    new Date(ask.now),
    new Date(ask.upTo),
    new Date(ask.now - FRESH_MS),
    ask.limit,
    further.map(({ serviceId }) => serviceId),
    further.map(({ room }) => room),
    further.map(({ part }) => part === 'late'),
    further.map(({ after }) => after.at),
    further.map(({ after }) => after.chunk),
    further.map(({ after }) => after.id),
    ask.round,
    slice.index,
    slice.of,
    days.lows,
    days.highs,
    days.few,
  ]);
}
