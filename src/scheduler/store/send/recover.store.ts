// Finds sends that a dead replica had in flight, by its heartbeat, and makes them uncertain.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { uncertainWaitMs } from '../../decide/lifecycle/next-poll.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ReplicaBeat } from '../../decide/lifecycle/replica-observer.js';
import { moveSends } from './move.store.js';
import { uncertainMove, type KeptAnswer } from './unwritten-answer.store.js';

/** A place in the index send_work: that of the last row that was read. */
export interface WorkPlace {
  readonly nextAt: string;
  readonly chunk: number;
  readonly id: string;
}

const BEGINNING: WorkPlace = { nextAt: '-infinity', chunk: -1, id: '00000000-0000-0000-0000-000000000000' };

/** The place before all sends that are due at this instant or later. */
export const dueFrom = (at: EpochMs): WorkPlace => ({ ...BEGINNING, nextAt: new Date(at).toISOString() });

export interface LostAsk {
  readonly serviceId: string;
  /** Sends that are due up to this instant are read. */
  readonly upTo: EpochMs;
  /** This replica: its own sends in flight are not lost. */
  readonly replica: string;
  readonly dead: readonly ReplicaBeat[];
  /** The most rows that are read. */
  readonly most: number;
  readonly after?: WorkPlace;
}

export interface LostSend {
  readonly id: string;
  readonly attempts: number;
  /** Its answer, if that could not be written and was kept apart; null: there is none. */
  readonly answer: Pick<KeptAnswer, 'requestId' | 'code'> | null;
}

export interface LostPage {
  readonly lost: readonly LostSend[];
  /** undefined: there are no further rows. */
  readonly last: WorkPlace | undefined;
}

// Index send_work from a place on: all due sends of the project, both `planned` and `sending`, because the index does not distinguish
// them (firing must not change it). So it also reads late planned sends: in pages, when a replica has died and once a minute. Locks
// nothing. A send whose answer was kept apart but that could not be moved is lost as well, even if its replica lives: no other statement
// ends it.
const LOST = prepared(`
with page as materialized (
  select s.id, s.next_at, s.chunk, s.state, s.fired_by, s.attempts from send_open s
   where s.service_id = $1 and s.work = 'f' and s.next_at <= $2 and (s.next_at, s.chunk, s.id) > ($3, $4, $5)
   order by s.next_at, s.chunk, s.id limit $6),
lost as (
  select p.id, p.attempts,
         case when u.send is not null then json_build_object('requestId', u.facts->>'requestId', 'code', u.code) end as answer
    from page p left join unwritten_answer u on u.send = p.id and u.attempt = p.attempts
   where p.state = 'sending'
     and (p.fired_by is distinct from $7 and not exists (
            select from replica r where r.id = p.fired_by
               and not exists (select from unnest($8::uuid[], $9::timestamptz[]) as d(id, beat_at)
                                where d.id = r.id and d.beat_at = r.beat_at))
          or u.send is not null))
select coalesce((select json_agg(l) from lost l), '[]') as lost,
       (select json_build_object('nextAt', p.next_at::text, 'chunk', p.chunk, 'id', p.id)
          from page p offset $6 - 1 limit 1) as last`);

/** Sends whose replica is dead: its heartbeat is still the one of `dead`, or it has no row. */
export async function lostSends(sql: Sql, ask: LostAsk): Promise<LostPage> {
  const { serviceId, upTo, replica, dead, most, after = BEGINNING } = ask;
  const page = await firstRow<{ lost: LostSend[]; last: WorkPlace | null }>(sql, LOST, [
    serviceId,
    new Date(upTo),
    after.nextAt,
    after.chunk,
    after.id,
    most,
    replica,
    dead.map(({ id }) => id),
    dead.map(({ beat }) => beat),
  ]);
  return { lost: page?.lost ?? [], last: page?.last ?? undefined };
}

/**
 * Makes the sends uncertain; the attempt's number fences it, and an answer that comes after all is still recorded by that number. A send
 * whose answer was kept apart gets the answer's requestId, so that nobody sends it again. Returns how many.
 */
export function recoverSends(sql: Sql, lost: readonly LostSend[], now: EpochMs, by: string): Promise<number> {
  const how = {
    fromState: 'sending',
    toState: 'uncertain',
    code: 'LOST_ANSWER',
    detail: null,
    requestId: null,
    nextAt: now + uncertainWaitMs(null),
  } as const;
  const moves = lost.map(({ id, attempts, answer }) =>
    answer === null ? { id, attempts, ...how } : uncertainMove({ id, attempt: attempts, ...answer }, now),
  );
  return moveSends(sql, moves, { at: now, by });
}
