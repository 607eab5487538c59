// Reads the sends with work of one kind that is due or soon will be: to be fired, polled or cancelled. Reading takes nothing:
// several replicas may read the same row, and the first to write wins (fire.store.ts, poll.store.ts). When a replica ends or
// hangs, the others read what it had read.
import { arrayText } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Mode, ModeRule } from '../../decide/timing/send-mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendGoal, SendState } from '../../decide/lifecycle/send-state.js';
import type { Slice } from '../../decide/lifecycle/replica-slice.js';

/** As in the column `work`: to fire (f), results and reservations to poll (p), cancels to make (c), uncertain ones (u). */
export type Work = 'f' | 'p' | 'c' | 'u';
export type PollWork = Exclude<Work, 'f'>;

/** A place in the index send_work: behind that row, or, without a chunk, behind the whole instant. */
export interface ReadPlace {
  /** The row's next_at. */
  readonly at: EpochMs;
  readonly chunk?: number;
  readonly id?: string;
}

/** A send that was read, and where it lies in the index. */
export interface FoundWork extends Required<Pick<ReadPlace, 'chunk' | 'id'>> {
  readonly serviceId: string;
  readonly nextAt: EpochMs;
  /** In this order: not late, of our slice; late, of our slice; late, of another's slice; one of the newest late sends. */
  readonly part: 'fresh' | 'late' | 'others' | 'newest';
}

/** What is read of one project: so much, from these places on. A part without a place is not read. */
export interface ReadPage {
  readonly room: number;
  readonly late?: ReadPlace;
  readonly fresh?: ReadPlace;
}

export interface ReadAsk {
  readonly work: Work;
  readonly now: EpochMs;
  /** Fresh work is read up to here. */
  readonly upTo: EpochMs;
  /** Late work is read up to here: nobody in whose slice it lies has seen to it. */
  readonly lateUpTo: EpochMs;
  readonly limit: number;
  /** Seeds the draw, by weight, of the projects that are served first where `limit` cannot serve all. */
  readonly round: number;
  /** Ours; of the others' slices only late work is read, where ours leaves room. */
  readonly slice: Slice;
  readonly pages: ReadonlyMap<string, ReadPage>;
  /** Of every other project; left out: none, and only of our slice. */
  readonly others?: ReadPage | undefined;
  /** Ids that this process holds: they are left out. */
  readonly held: readonly string[];
}

/** A send as it was read. */
interface ReadSend {
  readonly id: string;
  readonly serviceId: string;
  readonly mode: Mode;
  readonly scheduleCode: string | null;
  readonly dueAt: EpochMs | null;
  /** Changes of its state so far: what a poll found counts only while this number holds. */
  readonly changes: number;
}

/** What a decision about a planned send needs; its recipients and body are read when it is fired. */
export interface PlannedSend extends ReadSend {
  readonly campaign: string;
  readonly revision: number;
  readonly chunk: number;
  readonly modeRule: ModeRule;
  readonly intendedAt: EpochMs | null;
  /** Made so far; firing it makes the next. */
  readonly attempts: number;
  /** It is a retry by hand of another send. */
  readonly byHand: boolean;
  readonly zone: string;
}

export type AheadSend = PlannedSend & FoundWork;

export type FollowedState = Extract<
  SendState,
  'accepted' | 'reserved' | 'scheduled' | 'canceling' | 'uncertain'
>;

export interface DuePoll extends ReadSend {
  readonly state: FollowedState;
  readonly goal: SendGoal | null;
  readonly detail: string | null;
  readonly requestId: string | null;
  readonly handedOffAt: EpochMs;
  /** Since when it has been in its state; for an accepted send, when the push service began to send. */
  readonly stateAt: EpochMs;
  readonly polls: number;
  /** When we end a standing message. */
  readonly until: EpochMs | null;
}

export type FoundPoll = DuePoll & FoundWork;

/** Work that is later than this is late: the replica of its slice has not seen to it. */
export const FRESH_MS = 1_000;

// Index send_work, (service_id, work, next_at, chunk, id): each project is probed on its own, so a million late sends of one
// cost the others nothing. Within a project the earliest come first, and of one instant the first chunk of every cell before
// the second of any. Sends that are held here come before the rest in the index, and are skipped; a read from a place on passes
// over none. What is late has at least half of the room, and what is fresh may take all of it: a campaign with a million late
// sends does not delay the due sends of others, nor they its late ones. Where the oldest late sends are all of other campaigns,
// the newest late ones are read as well, so that a campaign whose sends became late behind that million has its turns too.
// sql/scheduler/functions/read_work.sql, beside other work: 2 ms for 300 projects with nothing due, 7 ms for 500 rows of 20
// projects from places on, 3 µs for each held send that comes before them.
const reading = (columns: string) =>
  prepared(`
select id, service_id as "serviceId", part, next_ms as "nextAt", chunk, mode, schedule_code as "scheduleCode", due_ms as "dueAt",
       changes, ${columns}
  from read_work($1, $2, $3, $4)`);

const PLANNED = reading(`
       campaign, revision, mode_rule as "modeRule", intended_ms as "intendedAt", attempts, by_hand as "byHand", zone`);
const POLLS = reading(`
       state, goal, detail, request_id as "requestId", handed_off_ms as "handedOffAt", state_ms as "stateAt", polls, until_ms as until`);

/** Sends to be fired. Locks nothing. */
export function readPlanned(sql: Sql, ask: Omit<ReadAsk, 'work'>): Promise<AheadSend[]> {
  return sql.query(PLANNED, parametersOf({ ...ask, work: 'f' }));
}

/** Sends that the push service is to be asked about. Locks nothing. */
export function readPolls(sql: Sql, ask: ReadAsk & { readonly work: PollWork }): Promise<FoundPoll[]> {
  return sql.query(POLLS, parametersOf(ask));
}

/** As JSON, what is undefined is left out, and null in SQL. */
function parametersOf({ pages, others, held, ...asked }: ReadAsk): readonly unknown[] {
  return [asked, Object.fromEntries(pages), others ?? null, arrayText(held, 'uuid')];
}
