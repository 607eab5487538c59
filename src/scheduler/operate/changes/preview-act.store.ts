// What an act on a campaign would do now, counted in sends. Reads only; what leaves meanwhile is too late for the act.
import { z } from 'zod';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { count } from '../../../platform/http/zod-schemas.js';
import { CAMPAIGN_ACTS, type HandAct, type Mark } from '../../decide/lifecycle/campaign-act.js';
import { BEGUN_STATES, statesTakenBack, type SendGoal } from '../../decide/lifecycle/send-state.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';

export const ActPreview = z
  .object({
    atOnce: count.describe('Sends that it moves at once: those that have not left'),
    askedOfPushService: count.describe('Sends that the push service holds, and is asked to give back'),
    inFlight: count.describe('Sends whose answer is awaited: it decides'),
    tooLate: count.describe('Sends that are gone, and stay as they are'),
    late: z
      .object({
        expire: count.describe('Past what its lateness allows: it ends as expired'),
        send: count.describe('Goes out late'),
      })
      .describe(
        'Of a resume or an approval: sends whose time has passed, by what their policy does with them',
      ),
    firstDueAt: z
      .date()
      .nullable()
      .describe('When the first of the sends that it moves is due; null: it moves none'),
  })
  .meta({ id: 'ActPreview' });
export type ActPreview = z.output<typeof ActPreview>;

interface Previewed {
  readonly campaign: string;
  readonly occurrence: string | undefined;
  readonly act: HandAct;
  readonly now: Date;
}

const AT_ONCE = sqlList(statesTakenBack('at-once'));
const ASKED = sqlList(statesTakenBack('asks'));
const WAITS = sqlList(statesTakenBack('waits'));
const GONE = sqlList(
  BEGUN_STATES.filter(
    (state) => !statesTakenBack('asks').includes(state) && !statesTakenBack('waits').includes(state),
  ),
);

// The lateness of each revision, as the check before send reads it. It is read once, and not for each send: data may be a megabyte.
const LATENESS = `
select r.revision, coalesce(r.data #>> '{policy,lateness,beyond}', '${policyDefaults.lateness.beyond}') = 'expire' as expires,
       coalesce((r.data #>> '{policy,lateness,maxMs}')::float8, ${policyDefaults.lateness.maxMs}) * interval '1 millisecond' as most
  from revision r where r.campaign = $1`;
const EXPIRES = '(r.expires and m.due_at + r.most < $4)';

// Index send_cell; the newest send of each chunk. $3: the goal of the act; null: it releases those that have the goal $5, and of an
// approval those whose page has not come yet, unless something else than what it lifts ($6 of the same occurrence) holds them.
const COUNTS = `
with lateness as materialized (${LATENESS}),
mine as materialized (
  select s.campaign, s.revision, s.occurrence, s.state, s.goal, s.due_at from send s
   where s.campaign = $1 and ($2::text is null or s.occurrence = $2) and s.next_send is null),
moves as materialized (
  select m.* from mine m
   where case when $3::text is null
              then (m.state = $5 or $6 = 'approval' and m.state = 'planned' and m.occurrence not like 'test-%')
               and not exists (select from campaign_act k
                                where k.campaign = m.campaign and k.goal is not null and act_holds(k.mark, k.occurrence, m.occurrence)
                                  and not (k.mark = $6 and k.occurrence is not distinct from $2))
              else m.state in ${AT_ONCE} and m.state <> $3 end)
select (select count(*)::int from moves) as "atOnce",
       (select count(*)::int from mine m where $3 is not null and m.state in ${ASKED}) as "askedOfPushService",
       (select count(*)::int from mine m where m.state in ${WAITS} and ($3 is not null or m.goal = $5)) as "inFlight",
       (select count(*)::int from mine m where m.state in ${GONE}) as "tooLate",
       (select count(*)::int from moves m join lateness r on r.revision = m.revision
         where $3 is null and m.due_at < $4 and ${EXPIRES}) as expire,
       (select count(*)::int from moves m join lateness r on r.revision = m.revision
         where $3 is null and m.due_at < $4 and not ${EXPIRES}) as send,
       (select min(m.due_at) from mine m
         where case when $3 is null then m.state in ($5, 'planned') else m.state in ${AT_ONCE} or m.state in ${ASKED} end) as "firstDueAt"`;

/** A decline is a cancel; an approval releases, as a resume does. */
function goalOf(act: HandAct): SendGoal | null {
  if (act === 'approve') return null;
  return CAMPAIGN_ACTS[act === 'decline' ? 'cancel' : act].goal;
}

export async function previewAct(
  sql: Sql,
  { campaign, occurrence, act, now }: Previewed,
): Promise<ActPreview> {
  const row = await firstRow<Omit<ActPreview, 'late'> & ActPreview['late']>(sql, COUNTS, [
    campaign,
    occurrence ?? null,
    goalOf(act),
    now,
    CAMPAIGN_ACTS.pause.goal,
    act === 'approve' ? 'approval' : ('act' satisfies Mark),
  ]);
  if (row === undefined) throw new Error('a count has no row');
  const { expire, send, ...counts } = row;
  return { ...counts, late: { expire, send } };
}
