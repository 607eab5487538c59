// What a stop of a project holds back, and what the push service still has of it: counted now, in sends. Reads only.
import { z } from 'zod';
import type { Sql } from '../../../platform/database/database.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { count } from '../../../platform/http/zod-schemas.js';
import { CAMPAIGN_ACTS } from '../../decide/lifecycle/campaign-act.js';
import { statesTakenBack } from '../../decide/lifecycle/send-state.js';

export const StopCounts = z.object({
  held: count.describe('Sends that have not left: none of them leaves while the project is stopped'),
  atPushService: z
    .object({
      reservations: count.describe(
        'Sends that the push service holds, and delivers at their time unless they are recalled',
      ),
      next: z.date().nullable().describe('When the first of the reservations is due'),
      standing: count.describe('Sends under a schedule of the push service: it delivers each firing'),
      inFlight: count.describe('Sends whose answer is awaited, those that are being asked back among them'),
    })
    .describe('What a stop alone does not hold back'),
});
export type StopCounts = z.output<typeof StopCounts>;

const HELD = CAMPAIGN_ACTS.pause.goal;
const AT_ONCE = sqlList(statesTakenBack('at-once'));
const WAITS = sqlList(statesTakenBack('waits'));

// Index send_work for each project. Held sends have no work and are not in it: their campaigns have a mark (index campaign_act_held),
// and send_cell finds their sends.
const COUNTS = `
select p.service_id as "serviceId", w.planned + h.held as held,
       jsonb_build_object('reservations', w.reservations, 'standing', w.standing, 'inFlight', w.in_flight) as counts, w.next
  from project p
 cross join lateral (
   select count(*) filter (where s.state in ${AT_ONCE})::int as planned, count(*) filter (where s.state = 'reserved')::int as reservations,
          min(s.due_at) filter (where s.state = 'reserved') as next, count(*) filter (where s.state = 'scheduled')::int as standing,
          count(*) filter (where s.state in ${WAITS})::int as in_flight
     from send_open s where s.service_id = p.service_id and s.work is not null) w
 cross join lateral (
   select count(*)::int as held from (
     select distinct k.campaign from campaign_act k join campaign c on c.id = k.campaign
      where k.goal = '${HELD}' and c.service_id = p.service_id
      union
     select k.campaign from campaign_act k join campaign c on c.id = k.campaign
      where k.done_at is null and c.service_id = p.service_id) k
     join send_open s on s.campaign = k.campaign and s.state = '${HELD}') h
 where p.service_id = any($1::text[]) order by p.service_id`;

interface Row {
  readonly serviceId: string;
  readonly held: number;
  readonly counts: Omit<StopCounts['atPushService'], 'next'>;
  readonly next: Date | null;
}

/** By serviceId. Takes about a second for a million open sends of a project. */
export async function stopCounts(sql: Sql, serviceIds: readonly string[]): Promise<Map<string, StopCounts>> {
  const rows = await sql.query<Row>(COUNTS, [serviceIds]);
  return new Map(
    rows.map(({ serviceId, held, counts, next }) => [
      serviceId,
      { held, atPushService: { ...counts, next } },
    ]),
  );
}
