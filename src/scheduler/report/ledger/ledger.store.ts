// The ledger (life-of-a-send.md, "Guarantee 3"): every event, every planned chunk and every targeted device accounted for. Each
// term is counted over rows of its own, none is a difference, and both sides are shown. Reads only, of one moment.
import { z } from 'zod';
import type { Database, Sql } from '../../../platform/database/database.js';
import { replicaLag } from '../../../platform/database/replica-lag.js';
import { inSnapshotOfSends } from '../held-days.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { SEND_TERMS } from '../../decide/lifecycle/send-state.js';
import { measuredSends } from '../../store/send/measured-send.js';
import { inDays, inWindow, ofService, parametersOf, type LedgerFilter } from './ledger-filter.js';
import { addMissing, findMissing, findMissingIn, Missing } from './ledger-missing.store.js';
import { inPage, parametersIn, pagesOf } from './ledger-pages.js';
import {
  countsOf,
  kindOf,
  REACHED_TERMS,
  SUMMED_COUNTS,
  type CountedCounts,
} from '../figures/report-figures.js';

/** One line of the balance: what came in is on the left, what became of it on the right. */
function balanceOf<const Term extends string>(terms: readonly Term[]) {
  return z.object({
    left: count,
    right: z.record(z.enum(terms), count),
    sum: count.describe('The terms of the right, added up'),
    balanced: z.boolean(),
    gone: count.describe('How many of them are gone with their day, and are counted by their sums'),
  });
}
/** A chunk counts once, by its newest send; `superseded` ones are on neither side. */
const sendBalance = balanceOf(SEND_TERMS);

export const Ledger = z
  .object({
    asOf: z.number(),
    events: balanceOf(['campaigns', 'revisions', 'commands', 'parked', 'rejected', 'duplicates']),
    planned: sendBalance,
    tests: sendBalance.describe('Sends to testTo, which take no part in reports'),
    devices: balanceOf(REACHED_TERMS).describe('Devices targeted by the newest sends, tests left out'),
    missing: listOf(Missing),
    balanced: z.boolean().describe('Both sides of every line agree, and nothing is missing'),
  })
  .meta({ id: 'Ledger' });
export type Ledger = z.output<typeof Ledger>;
type EventTerms = Ledger['events']['right'];
export type SendTerms = Ledger['planned']['right'];
/** One line of the ledger. */
export type Balance<Terms> = Omit<Ledger['events'], 'right'> & { readonly right: Terms };

const GONE = (sum: string, where: string): string => `(select coalesce(sum(g.${sum}), 0) from event_gone g
    where ${where} and ${inDays('g.day')} and ${ofService('g.service_id')})`;
const GONE_EVENTS = GONE('events', 'true');

/**
 * Counts the rows of `from` (each with its `event` and `service`), plus the sums of rows of that verdict that are gone. If the event of
 * a row has gone with its day, the sums count the row.
 */
const became = (from: string, event: string, service: string, verdict: string): string => `
  ((select count(*) from ${from} (${event} >= (select kept.low) or ${event} in (select o.id from event_old o))
      and ${inWindow(event)} and ${ofService(service)})
   + ${GONE('counterparts', `g.verdict = '${verdict}'`)})::float8`;

const EVENTS = `
select
  ((select count(*) from event e where ${inWindow('e.id')} and ${ofService('e.service_id')}) + ${GONE_EVENTS})::float8 as events,
  ${became('campaign c where', 'c.event', 'c.service_id', 'campaign')} as campaigns,
  ${became('revision r left join campaign c on c.id = r.campaign where r.revision > 1 and', 'r.event', 'c.service_id', 'revision')} as revisions,
  ${became('command m left join campaign c on c.id = m.campaign where m.event is not null and', 'm.event', 'c.service_id', 'command')} as commands,
  ${became('parked_command p where', 'p.event', 'p.service_id', 'parked')} as parked,
  ${became('rejection j left join event e on e.id = j.event where', 'j.event', 'e.service_id', 'rejected')} as rejected,
  ${became('duplicate d left join event e on e.id = d.event where', 'd.event', 'e.service_id', 'duplicate')} as duplicates,
  ${GONE_EVENTS}::float8 as gone
 from (select uuid_floor(kept_from('event')) as low) kept`;

const PLANNED = `
select k.occurrence like 'test-%' as test, sum(k.chunks)::float8 as planned
  from cell k left join campaign c on c.id = k.campaign
 where ${inPage('k')} and ${ofService('c.service_id')}
 group by 1`;

// One pass over the sends for both balances.
const SENDS = `
select m.test, coalesce(sum(m.sends) filter (where m.gone), 0)::float8 as gone,
       coalesce(sum(m.target) filter (where m.gone), 0)::float8 as devices_gone, ${SUMMED_COUNTS}
  from (select s.*, s.occurrence like 'test-%' as test, ${kindOf('s')} as kind
          from (select occurrence, cell, state, mode, campaign, service_id, sends, target, sent, failed, false as gone
                  from (${measuredSends('send')}) l
                union all select occurrence, cell, state, mode, campaign, service_id, sends, target, sent, failed, true from send_gone) s
         where ${inPage('s')} and ${ofService('s.service_id')}) m
 group by m.test`;

/** The counts of PLANNED and SENDS, over tests or over other sends. */
type SendCount = keyof CountedCounts | 'gone' | 'devices_gone';
type SendCounts = Partial<Record<SendCount, number>>;

/** The whole ledger, in a read-only transaction of its own that sees one moment, so that both sides belong together. */
export async function readLedger(
  database: Database,
  filter: LedgerFilter,
  now: EpochMs,
  mostOfPage?: number,
): Promise<Ledger> {
  return inSnapshotOfSends(database, async (sql) => {
    const asOf = now - (await replicaLag(sql));
    const events = await eventBalance(sql, filter);
    let missing = await findMissing(sql, filter);
    const [planned, tests]: [SendCounts, SendCounts] = [{}, {}];
    for await (const page of pagesOf(sql, filter, mostOfPage)) {
      for (const counting of [PLANNED, SENDS])
        for (const { test, ...counts } of await sql.query<SendCounts & { test: boolean }>(
          counting,
          parametersIn(page, filter),
        ))
          addUp(test ? tests : planned, counts);
      missing = addMissing(missing, await findMissingIn(sql, page, filter));
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
  const sends = (counted: SendCounts): Balance<SendTerms> => {
    const { planned: left, ...terms } = countsOf(counted).sends;
    return balance(left, terms, counted.gone ?? 0);
  };
  const { target, ...reached } = countsOf(planned).devices;
  return {
    planned: sends(planned),
    tests: sends(tests),
    devices: balance(target, reached, planned.devices_gone ?? 0),
  };
}

function balance<Terms extends object>(left: number, right: Terms, gone: number): Balance<Terms> {
  const sum = Object.values(right).reduce((total: number, term: number) => total + term, 0);
  return { left, right, sum, balanced: left === sum, gone };
}
