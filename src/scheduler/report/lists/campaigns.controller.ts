// GET /v1/campaigns and below: a campaign's sends, history and stored plan. A publisher sees the campaigns of the token's
// serviceIds; a foreign campaign is answered like an unknown one. Reads only.
import { Controller, Get, Inject, Param, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database, type Sql } from '../../../platform/database/database.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { count, listOf } from '../../../platform/http/zod-schemas.js';
import {
  idPlace,
  pageOf,
  pageOfLooked,
  pageQuery,
  pageSchema,
  readCursor,
  writeCursor,
  type Page,
} from '../../../platform/http/paging.js';
import { notFound } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { CLOCK, ZONE_RULES } from '../../../platform/injection-tokens.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../../scheduler.config.js';
import {
  Attention,
  campaignById,
  campaignHistory,
  CampaignRow,
  HistoryRow,
  OccurrenceRow,
  occurrencesOf,
  RevisionRow,
  revisionsOf,
  RevisionView,
  RevisionState,
  SendStates,
  sendStatesOf,
  storedPlan,
  storedRevision,
} from '../../store/read/campaign.store.js';
import { ourCampaignId, revisionNumber } from '../../store/read/our-ids.js';
import {
  attentionStatesOf,
  campaignFilterQuery,
  campaignPage,
  type CampaignFilter,
  countSends,
  nextDueOf,
} from './campaign-list.store.js';
import { campaignsByDue } from './campaigns-by-due.store.js';
import { MARKED_ACTS } from '../../decide/lifecycle/campaign-act.js';
import { actsOn } from '../../store/send/act.store.js';
import { inSnapshotOfSends } from '../held-days.js';
import { CellRow, PlanProblemView, PlanView } from '../../store/read/plan-view.js';
import { cellPage, cellSends } from './cell-page.store.js';
import { sendFilterQuery, sendStates } from '../../store/read/send-filter.js';
import { OffsetChange, offsetChanges } from './offset-changes.js';
import { shownMessages } from '../../store/read/shown-messages.js';
import { withoutIds } from './shown-revision.js';
import { sendOrder, SendPage, shownSends } from './shown-sends.js';
import { WaitingFor, waitingFor } from './waiting-for.js';
import { zoneTable } from '../../decide/audience/zone-by-name.js';
import { notYetPlanned, shownTo } from '../../decide/recurrence/occurrences.js';
import { occurrenceId } from '../../decide/recurrence/recurrence.js';
import { topReasonsOf } from '../../store/rollup/top-reasons.store.js';
import { attentionOf, mayHaveReason } from '../../decide/lifecycle/attention.js';
import { SEND_STATES } from '../../decide/lifecycle/send-state.js';

const listQuery = z.object({
  ...pageQuery,
  ...campaignFilterQuery,
  order: z
    .enum(['newest', 'oldest', 'due'])
    .default('newest')
    .describe('By when they were created; due: only campaigns that begin from now on, the soonest first'),
});
/** When the list was begun, and the due and the id of the last campaign. */
const duePlace = z.tuple([z.iso.datetime(), z.iso.datetime(), z.uuid()]);
/** Before every campaign. */
const NO_CAMPAIGN = '00000000-0000-0000-0000-000000000000';
const { serviceId: _, campaign: __, ...ofCampaign } = sendFilterQuery;
const sendsQuery = z.object({
  ...pageQuery,
  ...ofCampaign,
  newest: z.enum(['true', 'false']).default('false').describe('Only the send of each chunk that counts'),
  order: sendOrder,
});
const planQuery = z.object({
  ...pageQuery,
  occurrence: storableText(64).optional(),
  zone: storableText(64).optional(),
  state: sendStates
    .optional()
    .describe(`Cells with a newest send of any of these states, with commas: ${SEND_STATES.join(', ')}`),
});
const onlyPage = z.object(pageQuery);
const sequencePlace = z.tuple([z.string().regex(/^\d{1,9}$/)]);
const cellPlace = z.tuple([storableText(64), storableText(200)]);

/** The occurrences shown with a campaign; the plan pages through all of them. */
const OCCURRENCES_SHOWN = 100;
const MOST_LATER = 100;

const MOST_ACTS = 100;
const ActOnCampaign = z
  .object({
    act: z.enum(MARKED_ACTS),
    occurrence: z.string().nullable().describe('null: all of the campaign'),
    by: z.string(),
    at: z.date(),
    reason: z.string().nullable(),
    isDone: z
      .boolean()
      .describe(
        'All of its sends were looked at; a resume, an approval or a revision that is done is not listed',
      ),
    moved: count.describe('Sends moved so far, or on their way to it'),
    left: count.describe(
      'Sends not looked at yet. None of them leaves during a cancel or a pause; of a revision, the requests that it has yet to change',
    ),
  })
  .meta({ id: 'ActOnCampaign' });

const Campaign = CampaignRow.extend({
  sends: SendStates,
  sendsAtLeast: z
    .boolean()
    .describe(
      'In a list: the campaign has more sends than are counted for it, so there may be more of each state',
    ),
  nextDueAt: z
    .date()
    .nullable()
    .describe('When the next of its cells is due; null: nothing is planned for later'),
  attention: Attention.nullable().describe(
    'Why somebody should look at the campaign: it was rejected, nobody got it, or sends did not go out; null: nobody has to',
  ),
}).meta({ id: 'Campaign' });
type Campaign = z.output<typeof Campaign>;
const CampaignPage = pageSchema(Campaign);
const HistoryPage = pageSchema(HistoryRow);
const WholeCampaign = Campaign.extend({
  waitingFor: WaitingFor.nullable(),
  acts: listOf(ActOnCampaign).describe(
    `The cancels and pauses in force, and what is under way, of the campaign first and then of its occurrences; at most ${MOST_ACTS}`,
  ),
  revisions: listOf(RevisionRow),
  occurrences: listOf(OccurrenceRow).describe(`The latest ${OCCURRENCES_SHOWN}; the plan pages through all`),
}).meta({ id: 'CampaignWithRevisions' });
const StoredCell = CellRow.extend({
  offsetChanges: listOf(OffsetChange).describe("Changes of its zone's clock on the local day when it is due"),
  sends: SendStates,
  sendsAtLeast: z.boolean().describe('It has more sends than are counted for a cell of a page'),
}).meta({ id: 'StoredCell' });
const StoredPlan = z
  .object({
    campaign: z.uuid(),
    campaignId: z.string(),
    revision: z.int().min(1),
    state: RevisionState.nullable(),
    refusal: PlanProblemView.nullable().describe('Why planning refused the campaign'),
    later: listOf(z.string()).describe(
      'The occurrences to come within 35 days that are not planned yet, at most 100: their cells are decided PLAN_AHEAD_HOURS before',
    ),
    ...PlanView.partial().shape,
    ...pageSchema(StoredCell).shape,
  })
  .meta({ id: 'StoredPlan' });

interface AskedPage {
  readonly cursor: string | undefined;
  readonly limit: number;
}

async function byCreation(
  sql: Sql,
  filter: CampaignFilter,
  { cursor, limit, newest }: AskedPage & { readonly newest: boolean },
): Promise<Page<CampaignRow>> {
  const [from] = readCursor(cursor, idPlace) ?? [];
  const found = await campaignPage(sql, filter, { newest, from, limit: limit + 1 });
  return pageOfLooked(found.rows, limit, found.stoppedAt);
}

@Controller('v1/campaigns')
@Roles('publisher', 'analyst')
export class CampaignsController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
    @Inject(SCHEDULER_CONFIG) private readonly config: SchedulerConfig,
  ) {}

  @Operation(CampaignPage, { summary: 'Campaigns, newest first, oldest first, or by when they begin' })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit, order, ...filter }: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<Campaign>> {
    const of = { ...filter, serviceIds: caller.serviceFilter };
    return inSnapshotOfSends(this.database, async (sql) => {
      const { items, nextCursor } =
        order === 'due'
          ? await this.#byDue(sql, of, { cursor, limit })
          : await byCreation(sql, of, { cursor, limit, newest: order === 'newest' });
      const bad = await attentionStatesOf(sql, items);
      const sends = await countSends(sql, items);
      const due = await nextDueOf(sql, items, new Date(this.clock.now()));
      const explained = items.filter((row) => mayHaveReason(attentionOf(row, bad.get(row.id))));
      const reasons = await topReasonsOf(
        sql,
        explained.map(({ id }) => id),
      );
      const shown = items.map((row) => ({
        ...row,
        attention: attentionOf(row, bad.get(row.id), reasons.get(row.id)),
        sends: sends.states.get(row.id) ?? {},
        sendsAtLeast: sends.atLeast.has(row.id),
        nextDueAt: due.get(row.id) ?? null,
      }));
      return { items: shown, nextCursor };
    });
  }

  @Operation(WholeCampaign, {
    summary: 'A campaign with its revisions, its latest occurrences and its newest sends by state',
  })
  @Get(':id')
  async one(
    @Param('id', { schema: ourCampaignId }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof WholeCampaign>> {
    const now = this.clock.now();
    const at = { now, offsetCacheMs: this.config.offsetCacheMs };
    return inSnapshotOfSends(this.database, async (sql) => {
      const campaign = await this.#own(id, caller, sql);
      const sends = await sendStatesOf(sql, id);
      return {
        ...campaign,
        attention: attentionOf(campaign, sends.kept, (await topReasonsOf(sql, [id])).get(id)),
        waitingFor: await waitingFor(sql, campaign, at),
        acts: await actsOn(sql, id, MOST_ACTS),
        revisions: await revisionsOf(sql, id),
        occurrences: await occurrencesOf(sql, id, OCCURRENCES_SHOWN),
        sends: sends.all,
        sendsAtLeast: false,
        nextDueAt: (await nextDueOf(sql, [campaign], new Date(now))).get(id) ?? null,
      };
    });
  }

  @Operation(RevisionView, {
    summary:
      'A revision of a campaign: its event, what devices get of it, and its difference from the one before',
  })
  @Get(':id/revisions/:revision')
  async revision(
    @Param('id', { schema: ourCampaignId }) id: string,
    @Param('revision', { schema: revisionNumber }) revision: number,
    @Caller() caller: CallerIdentity,
  ): Promise<RevisionView> {
    const campaign = await this.#own(id, caller);
    const found = await storedRevision(this.database, campaign.id, revision);
    if (found === undefined) throw notFound('revision');
    const { message, ...stored } = found;
    return { ...stored, ...withoutIds(found.data), ...shownMessages(message, found.data) };
  }

  @Operation(SendPage, { summary: 'Sends of a campaign' })
  @Get(':id/sends')
  async sends(
    @Param('id', { schema: ourCampaignId }) id: string,
    @Query({ schema: sendsQuery }) query: z.output<typeof sendsQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<SendPage> {
    const { id: campaign } = await this.#own(id, caller);
    return shownSends(this.database, { ...query, campaign }, null);
  }

  @Operation(HistoryPage, { summary: 'Every change of a campaign' })
  @Get(':id/history')
  async history(
    @Param('id', { schema: ourCampaignId }) id: string,
    @Query({ schema: onlyPage }) query: z.output<typeof onlyPage>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<HistoryRow>> {
    const campaign = await this.#own(id, caller);
    const [after = '0'] = readCursor(query.cursor, sequencePlace) ?? [];
    const page = { after: Number(after), limit: query.limit + 1 };
    const rows = await campaignHistory(this.database, campaign.id, page);
    return pageOf(rows, query.limit, (row) => [String(row.sequence)]);
  }

  @Operation(StoredPlan, { summary: 'Its plan: cells by pages, each with the reason for every decision' })
  @Get(':id/plan')
  async plan(
    @Param('id', { schema: ourCampaignId }) id: string,
    @Query({ schema: planQuery }) { cursor, limit, ...filter }: z.output<typeof planQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof StoredPlan>> {
    const after = readCursor(cursor, cellPlace);
    const at = { now: this.clock.now(), rules: this.rules };
    return inSnapshotOfSends(this.database, async (sql) => {
      const campaign = await this.#own(id, caller, sql);
      const plan = await storedPlan(sql, id, occurrenceId(shownTo(at.now)));
      const found = await cellPage(sql, { campaign: id, ...filter }, { after, limit: limit + 1 });
      const { items, nextCursor } = pageOf(found.cells, limit, (cell) => [cell.occurrence, cell.cell]);
      const sends = await cellSends(sql, id, items);
      return {
        campaign: campaign.id,
        campaignId: campaign.campaignId,
        revision: campaign.revision,
        state: plan?.state ?? null,
        refusal: plan?.refusal ?? null,
        later: plan?.goesOn === true ? notYetPlanned(plan, at, MOST_LATER) : [],
        ...plan?.plan,
        items: items.map((cell, index) => ({
          ...cell,
          offsetChanges: this.#changesOf(cell),
          sends: sends[index]?.sends ?? {},
          sendsAtLeast: sends[index]?.sendsAtLeast ?? false,
        })),
        nextCursor: nextCursor ?? (found.stoppedAt === undefined ? null : writeCursor(found.stoppedAt)),
      };
    });
  }

  async #byDue(sql: Sql, filter: CampaignFilter, { cursor, limit }: AskedPage): Promise<Page<CampaignRow>> {
    const now = new Date(this.clock.now()).toISOString();
    const [since = now, due = now, campaign = NO_CAMPAIGN] = readCursor(cursor, duePlace) ?? [];
    const after = { since: new Date(since), due: new Date(due), campaign };
    const found = await campaignsByDue(sql, filter, { after, limit: limit + 1 });
    const cursorOf = (at: Date, id: string): readonly string[] => [since, at.toISOString(), id];
    const page = pageOf(
      found.rows,
      limit,
      ({ begins, id }) => cursorOf(begins, id),
      ({ begins: _begins, ...row }) => row,
    );
    const { stoppedAt } = found;
    if (page.nextCursor !== null || stoppedAt === undefined) return page;
    return { ...page, nextCursor: writeCursor(cursorOf(stoppedAt.due, stoppedAt.campaign)) };
  }

  #changesOf({ zone, dueAt }: CellRow): OffsetChange[] {
    const table = zoneTable(zone, this.rules);
    return dueAt === null || table === undefined ? [] : offsetChanges(dueAt.getTime(), table);
  }

  async #own(id: string, caller: CallerIdentity, sql: Sql = this.database): Promise<CampaignRow> {
    return caller.own(await campaignById(sql, id), 'campaign');
  }
}
