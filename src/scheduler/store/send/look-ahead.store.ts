// Reads what is due soon, ahead of its instant. Reading takes nothing: a row that several replicas have read is fired by one of them
// (fire.store.ts), and when a replica ends or hangs, the others read what it had read.
import { arrayText } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Mode, ModeRule } from '../../decide/timing/send-mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { Slice } from '../../decide/lifecycle/replica-slice.js';

/** What a decision about a planned send needs; its recipients and body are read when it is fired. */
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
  /** Made so far; firing it makes the next. */
  readonly attempts: number;
  /** Changes of its state so far. */
  readonly changes: number;
  /** It is a retry by hand of another send. */
  readonly byHand: boolean;
  readonly zone: string;
}

/** A place in the index send_work: that of the last row read. */
export interface ReadPlace {
  /** The row's next_at. */
  readonly at: EpochMs;
  readonly chunk: number;
  readonly id: string;
}

export interface AheadSend extends PlannedSend {
  /** In this order: not late, of our slice; late, of our slice; late, of another's slice; one of the newest late sends. */
  readonly part: 'fresh' | 'late' | 'others' | 'newest';
}

interface Ask {
  readonly now: EpochMs;
  /** Sends with a hand-off up to here are read: now plus the look-ahead. */
  readonly upTo: EpochMs;
  readonly limit: number;
  /** Seeds the draw, by weight, of the projects that are served first where `limit` cannot serve all. */
  readonly round: number;
  /** Our slice; of the others' slices only late sends are read, where ours leaves room. */
  readonly slice: Slice;
}

export interface LookAheadAsk extends Ask {
  /** How many more sends of each project this process may hold; of any other project: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Ids of sends that this process already holds. */
  readonly held: readonly string[];
  /** Late sends are read from beyond these instants on, of any other project beyond `others`; left out: from the start. */
  readonly floors?:
    { readonly ofProjects: ReadonlyMap<string, EpochMs>; readonly others: EpochMs | null } | undefined;
}

const COLUMNS = `
select id, service_id as "serviceId", campaign, revision, chunk, mode, mode_rule as "modeRule",
       schedule_code as "scheduleCode", intended_ms as "intendedAt", due_ms as "dueAt", hand_off_ms as "handOffAt",
       attempts, changes, by_hand as "byHand", zone, part`;

// Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so a million late sends of one cost
// the others nothing. Within a project the earliest come first, and of one instant the first chunk of every cell before the second
// of any. Sends that are held here come before the rest in the index, and are skipped.
// Late sends have at least half of the room, and due ones may take all of it: a campaign with a million late sends does not delay
// the due sends of others, nor they its late ones. Where the oldest late sends are all of other campaigns, the newest late ones
// are read as well, so that a campaign whose sends became late behind that million has its turns too.
// sql/scheduler/functions/look_ahead.sql: 5 ms, and 3 µs for each held send.
const LOOK_AHEAD = prepared(`${COLUMNS}
  from look_ahead($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)`);

/** A send that is later than this is late: the replica of its slice has not fired it. */
export const FRESH_MS = 1_000;

/** Skips what is held. Locks nothing. */
export function lookAhead(sql: Sql, ask: LookAheadAsk): Promise<AheadSend[]> {
  const { slice, floors } = ask;
  const others = floors?.others ?? null;
  return sql.query(LOOK_AHEAD, [
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
  ]);
}

/** Sends of one project, late or fresh, that are to be read on from a place. */
export interface Further {
  readonly serviceId: string;
  readonly part: 'fresh' | 'late';
  readonly room: number;
  readonly after: ReadPlace;
}

export interface LookFurtherAsk extends Ask {
  readonly further: readonly Further[];
}

// The same index from a place on, so that neither what is held here nor what is on the wire is read again. It may still meet held
// sends, because those that were not read as the earliest lie further on. sql/scheduler/functions/look_further.sql: 1 ms, and
// 2 µs for each row.
const LOOK_FURTHER = prepared(`${COLUMNS}
  from look_further($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`);

/** Locks nothing. */
export function lookFurther(sql: Sql, ask: LookFurtherAsk): Promise<AheadSend[]> {
  const { further, slice } = ask;
  return sql.query(LOOK_FURTHER, [
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
  ]);
}
