// The ledger (life-of-a-send.md, "Guarantee 3"): every event and every planned chunk accounted for. Each term is a count
// of its own over rows, none a difference, and both sides are shown. Reads only, of one moment.
import type { Database, Sql } from '../../../../platform/database/database.js';
import { inSnapshot } from '../../../../platform/database/snapshot.js';
import type { EpochMs } from '../../../../zone-rules/zone-rules.js';
import { findMissing, type Missing } from './ledger-missing.store.js';
import { inWindow, ofService, parametersOf, type LedgerFilter } from './ledger-filter.js';
import { sqlList } from '../../../../platform/database/sql-list.js';
import { SEND_TERMS, statesOfTerm, type SendTerm } from '../../../decide/lifecycle/send-state.js';

export type EventTerms = Readonly<
  Record<'campaigns' | 'revisions' | 'commands' | 'rejected' | 'duplicates', number>
>;

/** A chunk counts once, by its newest send; `superseded` ones are on neither side. */
export type SendTerms = Readonly<Record<SendTerm, number>>;

/** One line of the balance: what came in on the left, what became of it on the right. */
export interface Balance<Terms> {
  readonly left: number;
  readonly right: Terms;
  /** The terms of the right, added up. */
  readonly sum: number;
  readonly balanced: boolean;
}

export interface Ledger {
  readonly asOf: EpochMs;
  readonly events: Balance<EventTerms>;
  readonly planned: Balance<SendTerms>;
  /** Sends to `testTo`, which take no part in reports. */
  readonly tests: Balance<SendTerms>;
  readonly missing: readonly Missing[];
  /** Both sides of every line agree, and nothing is missing. */
  readonly balanced: boolean;
}

const EVENTS = `
select
  (select count(*) from event e where ${inWindow('e.id')} and ${ofService('e.service_id')})::float8 as events,
  (select count(*) from campaign c where ${inWindow('c.event')} and ${ofService('c.service_id')})::float8 as campaigns,
  (select count(*) from revision r left join campaign c on c.id = r.campaign
    where r.revision > 1 and ${inWindow('r.event')} and ${ofService('c.service_id')})::float8 as revisions,
  (select count(*) from command m left join campaign c on c.id = m.campaign
    where m.event is not null and ${inWindow('m.event')} and ${ofService('c.service_id')})::float8 as commands,
  (select count(*) from rejection j left join event e on e.id = j.event
    where ${inWindow('j.event')} and ${ofService('e.service_id')})::float8 as rejected,
  (select count(*) from duplicate d left join event e on e.id = d.event
    where ${inWindow('d.event')} and ${ofService('e.service_id')})::float8 as duplicates`;

const PLANNED = `
select coalesce(sum(k.chunks) filter (where k.occurrence not like 'test-%'), 0)::float8 as planned,
       coalesce(sum(k.chunks) filter (where k.occurrence like 'test-%'), 0)::float8 as tests
  from cell k left join campaign c on c.id = k.campaign
 where ${inWindow('k.campaign')} and ${ofService('c.service_id')}`;

const SENDS = `
select s.occurrence like 'test-%' as test,
       ${SEND_TERMS.map((term) => `count(*) filter (where s.state in ${sqlList(statesOfTerm(term))})::float8 as "${term}"`).join(', ')}
  from send s where s.next_send is null and ${inWindow('s.campaign')} and ${ofService('s.service_id')}
 group by 1`;

const NO_SENDS = Object.fromEntries(SEND_TERMS.map((term) => [term, 0])) as SendTerms;

/** The whole ledger of one moment: a read-only transaction of its own, repeatable read, so that both sides are alike. */
export async function readLedger(database: Database, filter: LedgerFilter, asOf: EpochMs): Promise<Ledger> {
  return inSnapshot(database, async (sql) => {
    const events = await eventBalance(sql, filter);
    const { planned, tests } = await sendBalances(sql, filter);
    const missing = await findMissing(sql, filter);
    const balanced = events.balanced && planned.balanced && tests.balanced && missing.length === 0;
    return { asOf, events, planned, tests, missing, balanced };
  });
}

async function eventBalance(sql: Sql, filter: LedgerFilter): Promise<Balance<EventTerms>> {
  const [row] = await sql.query<EventTerms & { events: number }>(EVENTS, parametersOf(filter));
  if (row === undefined) throw new Error('the ledger of events has no row');
  const { events, ...terms } = row;
  return balance(events, terms);
}

async function sendBalances(
  sql: Sql,
  filter: LedgerFilter,
): Promise<{ planned: Balance<SendTerms>; tests: Balance<SendTerms> }> {
  const [left] = await sql.query<{ planned: number; tests: number }>(PLANNED, parametersOf(filter));
  const right = await sql.query<SendTerms & { test: boolean }>(SENDS, parametersOf(filter));
  const termsOf = (test: boolean): SendTerms => {
    const found = right.find((row) => row.test === test);
    if (found === undefined) return NO_SENDS;
    const { test: _, ...terms } = found;
    return terms;
  };
  return {
    planned: balance(left?.planned ?? 0, termsOf(false)),
    tests: balance(left?.tests ?? 0, termsOf(true)),
  };
}

function balance<Terms extends object>(left: number, right: Terms): Balance<Terms> {
  const sum = Object.values(right).reduce((total: number, count: number) => total + count, 0);
  return { left, right, sum, balanced: left === sum };
}
