// Reads the sends with work of one kind that is due or soon will be: to fire, poll or cancel. Reading takes nothing: several replicas
// may read the same row, and the first to write wins (fire.store.ts, poll.store.ts). So if a replica ends or hangs, the others read the
// same sends.
import { arrayText } from '../../../platform/database/row-arrays.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { Mode, ModeRule } from '../../decide/timing/send-mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendGoal, SendState } from '../../decide/lifecycle/send-state.js';
import type { Slice } from '../../decide/lifecycle/replica-slice.js';

/** The values of the column `work`: f fire, p poll a result or reservation, c cancel, u ask about an uncertain send. */
export type Work = 'f' | 'p' | 'c' | 'u';
export type PollWork = Exclude<Work, 'f'>;

/** A place in the index send_work: behind that row; without a chunk, behind all rows of the instant. */
export interface ReadPlace {
  /** The row's next_at. */
  readonly at: EpochMs;
  readonly chunk?: number;
  readonly id?: string;
}

/** A send that was read, and its place in the index. */
export interface FoundWork extends Required<Pick<ReadPlace, 'chunk' | 'id'>> {
  readonly serviceId: string;
  readonly nextAt: EpochMs;
  /** fresh: not late, of our slice; late: of our slice; others: late, of another slice; newest: one of the newest late sends. */
  readonly kind: 'fresh' | 'late' | 'others' | 'newest';
}

/** The read of one project: at most `room` sends, from these places on. Late or fresh work without a place is not read. */
export interface ReadPage {
  readonly room: number;
  readonly late?: ReadPlace;
  readonly fresh?: ReadPlace;
}

export interface ReadAsk {
  readonly work: Work;
  readonly now: EpochMs;
  /** Fresh work is read up to this instant. */
  readonly upTo: EpochMs;
  /** Late work is read up to this instant: the replica of its slice has not done it in time. */
  readonly lateUpTo: EpochMs;
  /** The most sends of all projects. */
  readonly limit: number;
  /** Seeds the draw, by weight, of the projects that come first where `limit` is too low for all. */
  readonly round: number;
  /** Our slice. Of other slices only late work is read, if ours leaves room. */
  readonly slice: Slice;
  /** By project. */
  readonly pages: ReadonlyMap<string, ReadPage>;
  /** For every other project. Left out: only `pages` are read, and only of our slice. */
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
  /** Changes of its state so far. The answer to a poll is written only if the number is still the same. */
  readonly changes: number;
}

/** A planned send, as the check before send needs it; its recipients and body are read when it is fired. */
export interface PlannedSend extends ReadSend {
  readonly campaign: string;
  readonly revision: number;
  readonly chunk: number;
  readonly modeRule: ModeRule;
  readonly intendedAt: EpochMs | null;
  /** Attempts so far; firing makes the next. */
  readonly attempts: number;
  /** It is a retry, by hand, of another send. */
  readonly byHand: boolean;
  readonly zone: string;
  /** It goes to testTo: no window, pace or deadline of the campaign is for it. */
  readonly isTest: boolean;
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
  /** When it came to its state; for an accepted send, when the push service began to send. */
  readonly stateAt: EpochMs;
  readonly polls: number;
  /** When the scheduler ends a standing message. */
  readonly until: EpochMs | null;
}

export type FoundPoll = DuePoll & FoundWork;

/** Work that has been due for longer is late: the replica of its slice has not done it. Milliseconds. */
export const FRESH_MS = 1_000;

// Index send_work, (service_id, work, next_at, chunk, id): each project is read on its own, so a million late sends of one project cost
// the others nothing. Within a project the earliest come first, and of one instant the first chunk of every cell before any second
// chunk. Sends that this process holds are skipped; they come first in the index, so a read from a place on has none to skip. Fresh
// work may take all of the room, and late work has at least half of it besides: a campaign with a million late sends does not delay due
// sends of others, nor they its late sends. The newest late sends are read as well if the oldest are all of other campaigns: so a
// campaign whose sends became late behind that million has its turns too.
// sql/scheduler/functions/read_work.sql, while other work runs: 2 ms for 300 projects with nothing due; 7 ms for 500 rows of 20
// projects from places on; and 3 µs for each held send that is skipped.
const reading = (columns: string) =>
  prepared(`
select id, service_id as "serviceId", kind, next_ms as "nextAt", chunk, mode, schedule_code as "scheduleCode", due_ms as "dueAt",
       changes, ${columns}
  from read_work($1, $2, $3, $4)`);

const PLANNED = reading(`
       campaign, revision, mode_rule as "modeRule", intended_ms as "intendedAt", attempts, by_hand as "byHand", zone, is_test as "isTest"`);
const POLLS = reading(`
       state, goal, detail, request_id as "requestId", handed_off_ms as "handedOffAt", state_ms as "stateAt", polls, until_ms as until`);

/** Sends to be fired. Locks nothing. */
export function readPlanned(sql: Sql, ask: Omit<ReadAsk, 'work'>): Promise<AheadSend[]> {
  return sql.query(PLANNED, parametersOf({ ...ask, work: 'f' }));
}

/** Sends to poll, to cancel or to ask about. Locks nothing. */
export function readPolls(sql: Sql, ask: ReadAsk & { readonly work: PollWork }): Promise<FoundPoll[]> {
  return sql.query(POLLS, parametersOf(ask));
}

/** JSON leaves undefined members out, and SQL reads them as null. */
function parametersOf({ pages, others, held, ...asked }: ReadAsk): readonly unknown[] {
  return [asked, Object.fromEntries(pages), others ?? null, arrayText(held, 'uuid')];
}
