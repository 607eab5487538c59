// Writes the plans of campaigns in one transaction: first the rows of their cells and sends, page by page and without a lock; then,
// under short locks of the campaigns, the occurrences and states that make those rows count. So a cancel never waits for a large
// plan: it comes first, and nothing of the plan is committed.
import { setImmediate as othersFirst } from 'node:timers/promises';
import type { Sql } from '../../platform/database/database.js';
import type { PlanProblem } from '../decide/plan/plan-types.js';
import { closeLookups, openLookups } from '../store/audience-lookup.store.js';
import { forgetKnown } from '../store/listed-audience.store.js';
import { CHANNELS } from '../store/channels.js';
import { rejectRevision } from '../store/revision/reject-revision.store.js';
import { mayPlanBy } from '../store/zone-rules-in-force.store.js';
import { insertListedRecipients, type ListedIds } from '../store/send/listed-recipients.store.js';
import {
  endOf,
  insertCells,
  insertNextSends,
  insertOccurrences,
  insertSends,
  keepsRecipients,
  type OccurrenceRow,
  type PlannedTo,
  type SendRow,
} from '../store/send/planned-rows.store.js';
import { pageOf } from './plan-maker.js';
import type { CellRow, PlanPage } from './plan-rows.js';
import {
  compareWritten,
  besideOthers,
  isTest,
  makeRoom,
  markCompared,
  testOnly,
  type ComparedRevision,
  type Revised,
} from './revise/write-revisions.js';
import {
  isAsRead,
  markPlanned,
  markRefused,
  type CampaignToPlan,
  type PlannedCampaign,
  type ReadSoFar,
} from './plan.store.js';

/** How a round ended for a campaign. */
export type Planning =
  | {
      readonly became: 'planned';
      readonly pages: readonly (PlanPage | Uint8Array)[];
      /** How many cells the pages have. */
      readonly cells: number;
      readonly planned: PlannedCampaign;
    }
  | { readonly became: 'rejected'; readonly refusal: PlanProblem }
  | { readonly became: 'waits for look-ups'; readonly giveUpAt: number };

export type Decided = Planning & {
  readonly one: Pick<CampaignToPlan, 'serviceId'> & ReadSoFar;
  /** A look-up for it is open. */
  readonly looksUp: boolean;
  /** It goes to a list, and nothing more of this planning is written: what was laid down for it goes. */
  readonly endsListed?: boolean;
  /** A later revision. */
  readonly revised?: Revised | undefined;
};

export interface WriteContext {
  readonly now: number;
  readonly by: string;
  /** The version of the rules that the plans were made by. */
  readonly zoneRules: string;
}

/** The most that one statement writes: cells; sends; ids in sends. */
const FLUSH = { cells: 5_000, sends: 2_000, ids: 50_000 };

const PLACES = ['now', 'next'] as const satisfies readonly PlannedTo[];

/** Something changed after the campaigns were read: nothing is written, and the caller must read them again. */
export class PlanOutdatedError extends Error {
  readonly code = 'PLAN_OUTDATED';
}

/** Other zone rules came into force while campaigns were planned: nothing is written, and this process plans nothing more. */
export class ZoneRulesMovedError extends Error {
  readonly code = 'ZONE_RULES_MOVED';
}

/** Throws PlanOutdatedError and ZoneRulesMovedError; the caller's transaction is then rolled back. */
export async function writePlans(sql: Sql, done: readonly Decided[], context: WriteContext): Promise<void> {
  const { now, by } = context;
  const all = done.flatMap((each) => (each.became === 'planned' ? [each] : []));
  const planned = all.filter(({ revised }) => revised === undefined);
  const occurrences = await writePages(
    sql,
    planned.flatMap(({ pages }) => pages),
    context,
  );
  const compared: ComparedRevision[] = [];
  for (const { pages, planned: one, revised } of all) {
    if (revised === undefined) continue;
    await makeRoom(sql, one.id);
    const beside = await writePages(sql, pages, context, besideOthers);
    compared.push(await compareWritten(sql, { planned: one, revised }, beside, now));
  }
  if (!(await mayPlanBy(sql, context.zoneRules, true)))
    throw new ZoneRulesMovedError(`zone rules other than ${context.zoneRules} are in force`);
  if (
    !(await isAsRead(
      sql,
      done.map(({ one }) => one),
    ))
  )
    throw new PlanOutdatedError('a campaign was changed while it was planned');
  await insertOccurrences(sql, occurrences, now);
  await publishSkipped(sql, occurrences, now);
  await markPlanned(
    sql,
    planned.map((each) => each.planned),
    now,
    by,
  );
  const taken = await markCompared(sql, compared, now);
  for (const { pages, planned: one, revised } of all) {
    if (revised === undefined || !taken.has(one.id)) continue;
    // A test stands in the first page.
    const tests = (await writePages(sql, pages.slice(0, 1), context, testOnly)).filter(isTest);
    await insertOccurrences(sql, tests, now);
  }
  const refused = done.flatMap(({ one: { id, revision }, revised, ...each }) =>
    each.became === 'rejected' ? [{ id, revision, reasons: [each.refusal], revised }] : [],
  );
  await markRefused(
    sql,
    refused.filter(({ revised }) => revised === undefined),
    now,
    by,
  );
  for (const { id: campaign, revision, reasons, revised } of refused)
    if (revised !== undefined) await rejectRevision(sql, { campaign, revision }, reasons, now);
  const opened = done.flatMap(({ one: { id: campaign, serviceId }, ...each }) =>
    each.became === 'waits for look-ups' ? [{ campaign, serviceId, giveUpAt: each.giveUpAt }] : [],
  );
  await openLookups(sql, opened, now);
  const closed = done.filter(({ became, looksUp }) => looksUp && became !== 'waits for look-ups');
  await closeLookups(
    sql,
    closed.map(({ one }) => one.id),
  );
  await forgetKnown(
    sql,
    done.filter(({ endsListed }) => endsListed === true).map(({ one }) => one.id),
  );
  await sql.query('select pg_notify($1, $3), pg_notify($2, $3)', [CHANNELS.dispatch, CHANNELS.close, '']);
}

/** One event for each campaign whose occurrences passed during a pause: it names their range and their number. */
async function publishSkipped(sql: Sql, occurrences: readonly OccurrenceRow[], now: number): Promise<void> {
  const ranges = new Map<string, { first: string; last: string; count: number }>();
  for (const { campaign, occurrence, code } of occurrences) {
    if (code !== 'PAUSED') continue;
    const { first = occurrence, count = 0 } = ranges.get(campaign) ?? {};
    ranges.set(campaign, { first, last: occurrence, count: count + 1 });
  }
  for (const [campaign, { first, last, count }] of ranges) {
    const which = count === 1 ? 'this occurrence' : `${count} occurrences, ${first} to ${last},`;
    const why = `${which} passed while the campaign was paused`;
    await sql.query("select write_campaign_event($1, 'occurrence.skipped', 'skipped', $2, $3, $4)", [
      campaign,
      last,
      new Date(now),
      why,
    ]);
  }
}

/** Cells and sends; returns the occurrences, which wait for the locks: a cancel of one inserts its row as well. */
export async function writePages(
  sql: Sql,
  pages: readonly (PlanPage | Uint8Array)[],
  { now, by }: Pick<WriteContext, 'now' | 'by'>,
  placed: (row: { readonly occurrence: string }) => PlannedTo | undefined = () => 'now',
): Promise<OccurrenceRow[]> {
  const occurrences: OccurrenceRow[] = [];
  let cells: CellRow[] = [];
  let sends: SendRow[] = [];
  let listed = new Map<ListedIds, SendRow[]>();
  let ids = 0;
  const flush = async (): Promise<void> => {
    for (const to of PLACES) {
      const isHere = (row: { readonly occurrence: string }): boolean => placed(row) === to;
      await insertCells(sql, cells.filter(isHere), to);
      await (to === 'now' ? insertSends : insertNextSends)(sql, sends.filter(isHere), now, by);
      for (const [from, ofList] of listed)
        await writeListed(sql, from, { sends: ofList.filter(isHere), to }, now);
    }
    [cells, sends, listed, ids] = [[], [], new Map<ListedIds, SendRow[]>(), 0];
  };
  for (const packed of pages) {
    const page = pageOf(packed);
    const more = page.sends.reduce((sum, { recipients }) => sum + (recipients?.length ?? 0), 0);
    const isFull =
      cells.length + page.cells.length > FLUSH.cells ||
      sends.length + page.sends.length > FLUSH.sends ||
      ids + more > FLUSH.ids;
    if (isFull) await flush();
    occurrences.push(...page.occurrences);
    cells.push(...page.cells);
    sends.push(...page.sends);
    for (const [from, ofList] of listedSends(page))
      listed.set(from, [...(listed.get(from) ?? []), ...ofList]);
    ids += more;
    // A page from a thread is large, and decoding it took a while: sends of this process may be due.
    if (packed instanceof Uint8Array) {
      await othersFirst();
      await flush();
    }
  }
  await flush();
  return occurrences;
}

/** The sends of a page that go to a list and keep their ids, by where these lie. */
function listedSends({ sends, listed }: PlanPage): Map<ListedIds, SendRow[]> {
  const found = new Map<ListedIds, SendRow[]>();
  for (const send of sends) {
    const from = send.listed === undefined ? undefined : listed[send.listed.at];
    if (from === undefined || !keepsRecipients(send)) continue;
    const ofList = found.get(from) ?? [];
    found.set(from, ofList);
    ofList.push(send);
  }
  return found;
}

/** Throws PlanOutdatedError where the ids are not those that were counted, as after a crash that emptied audience_known. */
async function writeListed(
  sql: Sql,
  from: ListedIds,
  { sends, to }: { readonly sends: readonly SendRow[]; readonly to: PlannedTo },
  now: number,
): Promise<void> {
  if (sends.length === 0) return;
  const rows = sends.map((send) => ({ id: send.id, chunk: send.chunk, endedAt: endOf(now, send) }));
  const written = await insertListedRecipients(sql, from, rows, to);
  const wanted = sends.reduce((sum, { listed }) => sum + (listed?.ids ?? 0), 0);
  if (written !== wanted)
    throw new PlanOutdatedError(`${written} of ${wanted} ids of a list are there to be planned`);
}
