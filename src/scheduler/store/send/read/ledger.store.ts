// The ledger (life-of-a-send.md, "Guarantee 3"): every event, every planned chunk and every device targeted accounted for. Each
// term is a count of its own over rows, none a difference, and both sides are shown. Reads only, of one moment.
import { z } from 'zod';
import type { Database, Sql } from '../../../../platform/database/database.js';
import { replicaLag } from '../../../../platform/database/replica-lag.js';
import { inSnapshot } from '../../../../platform/database/snapshot.js';
import { count, listOf } from '../../../../platform/http/schema-parts.js';
import type { EpochMs } from '../../../../zone-rules/zone-rules.js';
import { addMissing, findMissing, findMissingOf, Missing } from './ledger-missing.store.js';
import { inDays, inWindow, ofService, parametersOf, type LedgerFilter } from './ledger-filter.js';
import { inPart, parametersIn, partsOf } from './ledger-parts.js';
import { sqlList } from '../../../../platform/database/sql-list.js';
import { SEND_TERMS, statesOfTerm } from '../../../decide/lifecycle/send-state.js';
import { measuredSends } from '../measured-send.js';
import { COUNTED, DEVICE_TERMS, kindOf } from './report-figures.js';

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
const TARGET = DEVICE_TERMS[0];
const REACHED = DEVICE_TERMS.slice(1) as readonly Exclude<(typeof DEVICE_TERMS)[number], typeof TARGET>[];

export const Ledger = z
  .object({
    asOf: z.number(),
    events: balanceOf(['campaigns', 'revisions', 'commands', 'rejected', 'duplicates']),
    planned: sendBalance,
    tests: sendBalance.describe('Sends to testTo, which take no part in reports'),
    devices: balanceOf(REACHED).describe('Devices targeted by the newest sends, tests left out'),
    missing: listOf(Missing),
    balanced: z.boolean().describe('Both sides of every line agree, and nothing is missing'),
  })
  .meta({ id: 'Ledger' });
export type Ledger = z.output<typeof Ledger>;
type EventTerms = Ledger['events']['right'];
export type SendTerms = Ledger['planned']['right'];
type DeviceTerms = Ledger['devices']['right'];
export interface Balance<Terms> {
  readonly left: number;
  readonly right: Terms;
  readonly sum: number;
  readonly balanced: boolean;
  /** How many of the left went with their day, and are counted by their sums. */
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
select k.occurrence like 'test-%' as test, sum(k.chunks)::float8 as planned
  from cell k left join campaign c on c.id = k.campaign
 where ${inPart('k')} and ${ofService('c.service_id')}
 group by 1`;

// One pass over the sends for both balances.
const SENDS = `
select m.test, coalesce(sum(m.sends) filter (where m.gone), 0)::float8 as gone,
       coalesce(sum(m.target) filter (where m.gone), 0)::float8 as devices_gone,
       ${SEND_TERMS.map((term) => `coalesce(sum(m.sends) filter (where m.state in ${sqlList(statesOfTerm(term))}), 0)::float8 as "${term}"`).join(', ')},
       ${DEVICE_TERMS.map((term) => `(${COUNTED[`devices_${term}`]})::float8 as devices_${term}`).join(', ')}
  from (select s.*, s.occurrence like 'test-%' as test, ${kindOf('s')} as kind
          from (select occurrence, cell, state, mode, campaign, service_id, sends, target, sent, failed, false as gone
                  from (${measuredSends('send')}) l
                union all select occurrence, cell, state, mode, campaign, service_id, sends, target, sent, failed, true from send_gone) s
         where ${inPart('s')} and ${ofService('s.service_id')}) m
 group by m.test`;

/** What PLANNED and SENDS count, of tests or of others. */
type SendCount =
  'planned' | 'gone' | 'devices_gone' | keyof SendTerms | `devices_${(typeof DEVICE_TERMS)[number]}`;
type SendCounts = Partial<Record<SendCount, number>>;

/**
 * As the first statement of a snapshot, which begins with the second: no day's rows become sums while it lasts, or it would
 * see neither.
 */
export async function holdDays(sql: Sql): Promise<void> {
  await sql.query('lock table send, event in access share mode');
}

/** The whole ledger of one moment: a read-only transaction of its own, repeatable read, so that both sides are alike. */
export async function readLedger(
  database: Database,
  filter: LedgerFilter,
  now: EpochMs,
  mostOfPart?: number,
): Promise<Ledger> {
  return inSnapshot(database, async (sql) => {
    await holdDays(sql);
    const asOf = now - (await replicaLag(sql));
    const events = await eventBalance(sql, filter);
    let missing = await findMissing(sql, filter);
    const [planned, tests]: [SendCounts, SendCounts] = [{}, {}];
    for await (const part of partsOf(sql, filter, mostOfPart)) {
      for (const counting of [PLANNED, SENDS])
        for (const { test, ...counts } of await sql.query<SendCounts & { test: boolean }>(
          counting,
          parametersIn(part, filter),
        ))
          addUp(test ? tests : planned, counts);
      missing = addMissing(missing, await findMissingOf(sql, part, filter));
    }
    const lines = { events, ...sendBalances(planned, tests) };
    const balanced = Object.values(lines).every((line) => line.balanced) && missing.length === 0;
    return { asOf, ...lines, missing, balanced };
  });
}

async function eventBalance(sql: Sql, filter: LedgerFilter): Promise<Balance<EventTerms>> {
  const [row] = await sql.query<EventTerms & { events: number; gone: number }>(EVENTS, parametersOf(filter));
  if (row === undefined) throw new Error('the ledger of events has no row');
  const { events, gone, ...terms } = row;
  return balance(events, terms, gone);
}

function addUp(sums: SendCounts, counts: SendCounts): void {
  for (const [name, counted] of Object.entries(counts) as [SendCount, number][])
    sums[name] = (sums[name] ?? 0) + counted;
}

function sendBalances(planned: SendCounts, tests: SendCounts): Pick<Ledger, 'planned' | 'tests' | 'devices'> {
  const sends = (counted: SendCounts): Balance<SendTerms> =>
    balance(
      counted.planned ?? 0,
      termsOf(SEND_TERMS, (term) => counted[term]),
      counted.gone ?? 0,
    );
  const reached: DeviceTerms = termsOf(REACHED, (term) => planned[`devices_${term}`]);
  return {
    planned: sends(planned),
    tests: sends(tests),
    devices: balance(planned[`devices_${TARGET}`] ?? 0, reached, planned.devices_gone ?? 0),
  };
}

function termsOf<Term extends string>(
  terms: readonly Term[],
  of: (term: Term) => number | undefined,
): Record<Term, number> {
  return Object.fromEntries(terms.map((term) => [term, of(term) ?? 0])) as Record<Term, number>;
}

function balance<Terms extends object>(left: number, right: Terms, gone: number): Balance<Terms> {
  const sum = Object.values(right).reduce((total: number, term: number) => total + term, 0);
  return { left, right, sum, balanced: left === sum, gone };
}
