// The marks of the rounds by which causes are judged and watched: one process begins a round at a time, commits that at once, and holds
// nothing while it reads. What a watch found is kept with its mark for whoever judges.
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import { prepared } from '../../platform/database/pooled-database.js';

/** `judge`: the judging of all causes. The others are watches, which read too much for each judging. */
export type RoundName = 'judge' | 'ledger' | 'forecast';

const BEGIN = prepared(`
update alert_round set begun_at = clock_timestamp()
 where name = $1 and begun_at < clock_timestamp() - $2 * interval '1 millisecond' returning begun_at::text as mark`);

/**
 * Undefined: somebody began a round within `everyMs` real milliseconds. Two processes may work on rounds at the same moment where one
 * takes longer than that: keepRound() then refuses the older one's result.
 */
export async function beginRound(sql: Sql, name: RoundName, everyMs: number): Promise<string | undefined> {
  const [row] = await sql.query<{ mark: string }>(BEGIN, [name, everyMs]);
  return row?.mark;
}

const KEEP = prepared(`
update alert_round set kept_of = $2::timestamptz, facts = $3
 where name = $1 and kept_of < $2::timestamptz returning 1 as kept`);

/** False: a round that began later has kept its result. Locks the row until the caller commits, so that results are kept in turn. */
export async function keepRound(sql: Sql, name: RoundName, mark: string, facts: object): Promise<boolean> {
  return (await sql.query(KEEP, [name, mark, JSON.stringify(facts)])).length > 0;
}

const LedgerFacts = z.object({ differing: z.int(), missing: z.int(), detail: z.string() });
/** How many lines of the ledger do not balance, how many rows it misses, and which. */
export type LedgerFacts = z.output<typeof LedgerFacts>;

const ForecastFacts = z.object({
  projects: z.array(
    z.object({ serviceId: z.string(), requests: z.int(), byMs: z.number(), campaigns: z.int() }),
  ),
});
/** By project: how many requests are going to miss a bound of their campaign, by how much the worst does, and of how many campaigns. */
export type ForecastFacts = z.output<typeof ForecastFacts>;

export interface WatchFacts {
  readonly ledger: LedgerFacts;
  readonly forecast: ForecastFacts;
}

/** What the last round of each watch found; a watch that has not come round yet found nothing. */
export async function readWatches(sql: Sql): Promise<WatchFacts> {
  const rows = await sql.query<{ name: RoundName; facts: unknown }>('select name, facts from alert_round');
  const of = (name: RoundName): unknown => rows.find((row) => row.name === name)?.facts;
  const ledger = LedgerFacts.safeParse(of('ledger'));
  const forecast = ForecastFacts.safeParse(of('forecast'));
  return {
    ledger: ledger.data ?? { differing: 0, missing: 0, detail: '' },
    forecast: forecast.data ?? { projects: [] },
  };
}
