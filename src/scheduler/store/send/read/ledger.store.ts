// The ledger (life-of-a-send.md, "Guarantee 3"): every event and every planned chunk accounted for. Each term is a count
// of its own over rows, none a difference, and both sides are shown. Reads only, of one moment.
import { z } from 'zod';
import type { Database, Sql } from '../../../../platform/database/database.js';
import { replicaLag } from '../../../../platform/database/replica-lag.js';
import { inSnapshot } from '../../../../platform/database/snapshot.js';
import { count, listOf } from '../../../../platform/http/operation.js';
import type { EpochMs } from '../../../../zone-rules/zone-rules.js';
import { findMissing, Missing } from './ledger-missing.store.js';
import { inDays, inWindow, ofService, parametersOf, type LedgerFilter } from './ledger-filter.js';
import { sqlList } from '../../../../platform/database/sql-list.js';
import { SEND_TERMS, statesOfTerm } from '../../../decide/lifecycle/send-state.js';

/** One line of the balance: what came in on the left, what became of it on the right. */
function balanceOf<const Term extends string>(terms: readonly Term[]) {
  return z.object({
    left: count,
    right: z.record(z.enum(terms), count),
    sum: count.describe('The terms of the right, added up'),
    balanced: z.boolean(),
    gone: count.describe('How many of them went with their day, and are counted by their sums'),
  });
}
/** A chunk counts once, by its newest send; `superseded` ones are on neither side. */
const sendBalance = balanceOf(SEND_TERMS);

export const Ledger = z
  .object({
    asOf: z.number(),
    events: balanceOf(['campaigns', 'revisions', 'commands', 'rejected', 'duplicates']),
    planned: sendBalance,
    tests: sendBalance.describe('Sends to testTo, which take no part in reports'),
    missing: listOf(Missing),
    balanced: z.boolean().describe('Both sides of every line agree, and nothing is missing'),
  })
  .meta({ id: 'Ledger' });
export type Ledger = z.output<typeof Ledger>;
type EventTerms = Ledger['events']['right'];
export type SendTerms = Ledger['planned']['right'];
export interface Balance<Terms> {
  readonly left: number;
  readonly right: Terms;
  readonly sum: number;
  readonly balanced: boolean;
  /** How many of them went with their day, and are counted by their sums. */
  readonly gone: number;
}

/** Of a row whose event has gone with its day nothing can be told: it is counted with what is gone. */
const OF_KEPT = (event: string): string =>
  `(${event} >= (select kept.low) or ${event} in (select o.id from event_old o))`;
const KEPT = `(select uuid_floor(kept_from('event')) as low) kept`;
const GONE = (sum: string, verdict?: string): string => `(select coalesce(sum(g.${sum}), 0) from event_gone g
    where ${verdict === undefined ? 'true' : `g.verdict = '${verdict}'`} and ${inDays('g.day')} and ${ofService('g.service_id')})`;

const EVENTS = `
select
  ((select count(*) from event e where ${inWindow('e.id')} and ${ofService('e.service_id')}) + ${GONE('events')})::float8 as events,
  ((select count(*) from campaign c where ${OF_KEPT('c.event')} and ${inWindow('c.event')} and ${ofService('c.service_id')})
   + ${GONE('counterparts', 'campaign')})::float8 as campaigns,
  ((select count(*) from revision r left join campaign c on c.id = r.campaign
    where r.revision > 1 and ${OF_KEPT('r.event')} and ${inWindow('r.event')} and ${ofService('c.service_id')})
   + ${GONE('counterparts', 'revision')})::float8 as revisions,
  ((select count(*) from command m left join campaign c on c.id = m.campaign
    where m.event is not null and ${OF_KEPT('m.event')} and ${inWindow('m.event')} and ${ofService('c.service_id')})
   + ${GONE('counterparts', 'command')})::float8 as commands,
  ((select count(*) from rejection j left join event e on e.id = j.event
    where ${OF_KEPT('j.event')} and ${inWindow('j.event')} and ${ofService('e.service_id')})
   + ${GONE('counterparts', 'rejected')})::float8 as rejected,
  ((select count(*) from duplicate d left join event e on e.id = d.event
    where ${OF_KEPT('d.event')} and ${inWindow('d.event')} and ${ofService('e.service_id')})
   + ${GONE('counterparts', 'duplicate')})::float8 as duplicates,
  ${GONE('events')}::float8 as gone
 from ${KEPT}`;

const PLANNED = `
select coalesce(sum(k.chunks) filter (where k.occurrence not like 'test-%'), 0)::float8 as planned,
       coalesce(sum(k.chunks) filter (where k.occurrence like 'test-%'), 0)::float8 as tests
  from cell k left join campaign c on c.id = k.campaign
 where ${inWindow('k.campaign')} and ${ofService('c.service_id')}`;

const SENDS = `
select s.occurrence like 'test-%' as test, coalesce(sum(s.sends) filter (where s.gone), 0)::float8 as gone,
       ${SEND_TERMS.map((term) => `coalesce(sum(s.sends) filter (where s.state in ${sqlList(statesOfTerm(term))}), 0)::float8 as "${term}"`).join(', ')}
  from (select occurrence, state, campaign, service_id, 1 as sends, false as gone from send where next_send is null
        union all select occurrence, state, campaign, service_id, sends, true from send_gone) s
 where ${inWindow('s.campaign')} and ${ofService('s.service_id')}
 group by 1`;

const NO_SENDS = Object.fromEntries(SEND_TERMS.map((term) => [term, 0])) as SendTerms;

/**
 * As the first statement of a snapshot, which begins with the second: no day's rows become sums while it lasts, or it would
 * see neither.
 */
export async function holdDays(sql: Sql): Promise<void> {
  await sql.query('lock table send, event in access share mode');
}

/** The whole ledger of one moment: a read-only transaction of its own, repeatable read, so that both sides are alike. */
export async function readLedger(database: Database, filter: LedgerFilter, now: EpochMs): Promise<Ledger> {
  return inSnapshot(database, async (sql) => {
    await holdDays(sql);
    const asOf = now - (await replicaLag(sql));
    const events = await eventBalance(sql, filter);
    const { planned, tests } = await sendBalances(sql, filter);
    const missing = await findMissing(sql, filter);
    const balanced = events.balanced && planned.balanced && tests.balanced && missing.length === 0;
    return { asOf, events, planned, tests, missing, balanced };
  });
}

async function eventBalance(sql: Sql, filter: LedgerFilter): Promise<Balance<EventTerms>> {
  const [row] = await sql.query<EventTerms & { events: number; gone: number }>(EVENTS, parametersOf(filter));
  if (row === undefined) throw new Error('the ledger of events has no row');
  const { events, gone, ...terms } = row;
  return balance(events, terms, gone);
}

async function sendBalances(
  sql: Sql,
  filter: LedgerFilter,
): Promise<{ planned: Balance<SendTerms>; tests: Balance<SendTerms> }> {
  const [left] = await sql.query<{ planned: number; tests: number }>(PLANNED, parametersOf(filter));
  const right = await sql.query<SendTerms & { test: boolean; gone: number }>(SENDS, parametersOf(filter));
  const sends = (planned: number, ofTests: boolean): Balance<SendTerms> => {
    const found = right.find((row) => row.test === ofTests);
    if (found === undefined) return balance(planned, NO_SENDS, 0);
    const { test: _, gone, ...terms } = found;
    return balance(planned, terms, gone);
  };
  return { planned: sends(left?.planned ?? 0, false), tests: sends(left?.tests ?? 0, true) };
}

function balance<Terms extends object>(left: number, right: Terms, gone: number): Balance<Terms> {
  const sum = Object.values(right).reduce((total: number, term: number) => total + term, 0);
  return { left, right, sum, balanced: left === sum, gone };
}
