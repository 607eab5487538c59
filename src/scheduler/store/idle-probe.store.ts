// Whether the sweeps have anything to look at, asked once a second by every replica: one statement each, planned once a
// connection. The sweeps' own statements are wide, and to plan them cost more than all else of an idle scheduler.
import { rowsOf, type Sql } from '../../platform/database.js';
import { prepared } from '../../platform/pooled-database.js';
import type { EpochMs } from '../decide/ports.js';

// Index send_repeat.
const UNCERTAIN = prepared(
  `select exists (select from send where state = 'uncertain' and request_id is null) as found`,
);

/** Whether the fate of any send is unknown, so that it might be repeated. */
export async function anyUncertain(sql: Sql): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(sql, UNCERTAIN);
  return row?.found === true;
}

const TOUCHED = prepared(`select exists (select from campaign_touched) as found`);

/** Whether any campaign may have begun or ended. */
export async function anyTouched(sql: Sql): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(sql, TOUCHED);
  return row?.found === true;
}

// Index send_lease; projects are few.
const LOST = prepared(`
select exists (select from project where resting_until <= $1)
    or exists (select from send where state in ('claimed', 'sending') and lease_until < clock_timestamp()) as found`);

/** Whether a rest or the lease of a send is over. */
export async function anyOver(sql: Sql, now: EpochMs): Promise<boolean> {
  const [row] = await rowsOf<{ found: boolean }>(sql, LOST, [new Date(now)]);
  return row?.found === true;
}
