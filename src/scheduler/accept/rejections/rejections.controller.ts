// /v1/rejections: events that were refused, and what people do about them. Publishers read those of their services. Only operators
// read the bytes, which may hold personal data.
import { Body, Controller, Get, HttpCode, Param, Post, Query, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { Database } from '../../../platform/database/database.js';
import { inSnapshot } from '../../../platform/database/snapshot.js';
import { LONG_BODY_BYTES } from '../../../platform/http/body-turns.js';
import { BareOperation, Operation } from '../../../platform/http/operation.decorator.js';
import {
  idPlace,
  pageOfLooked,
  pageQuery,
  pageSchema,
  readCursor,
  type Page,
} from '../../../platform/http/paging.js';
import { storableText } from '../../../platform/http/storable-text.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Budgets } from '../../admin/auth/budgets.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { ourRejectionId } from '../../store/read/our-ids.js';
import { answerFor, nothingTaken, Verdicts } from '../event-verdict.js';
import { MAX_JSON_DEPTH } from '../parse/read-json.js';
import { bodyPagesOf, rejectionFilter, rejectionPage, RejectionView } from './rejection.store.js';
import { eventOf, ownRejection, SettleRejection, type SettledRejection } from './settle-rejection.js';

const listQuery = z.object({ ...pageQuery, ...rejectionFilter });
const replayBody = z
  .strictObject({
    event: z
      .record(z.string(), z.unknown())
      .refine(
        (event) => !isDeeper(event, MAX_JSON_DEPTH),
        `values are nested more than ${MAX_JSON_DEPTH} deep`,
      )
      .optional()
      .describe(
        'An edited CloudEvent to take in its place, whole, of the same serviceId and subject; the token needs the role publisher too. Left out: the event as it came',
      ),
  })
  .prefault({});
const discardBody = z
  .strictObject({ reason: storableText(500).min(1).optional() })
  .prefault({})
  .meta({ examples: [{ reason: 'sent by a test' }] });

const RejectionPage = pageSchema(RejectionView);
const ForOperators = 'null for publishers that are no operators';
const Rejection = RejectionView.extend({
  event: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      `The whole CloudEvent, to edit and replay; null where it cannot be read or has more than ${LONG_BODY_BYTES} bytes; ${ForOperators}`,
    ),
  headers: z.record(z.string(), z.string()).nullable().describe(ForOperators),
  bodyBase64: z
    .string()
    .nullable()
    .describe(`The bytes as they came; null where they are more than ${LONG_BODY_BYTES}; ${ForOperators}`),
}).meta({ id: 'RejectionWithBody' });
type Rejection = z.output<typeof Rejection>;
const Settled = RejectionView.extend({
  changed: z.boolean().describe('false: it was already settled in this way'),
}).meta({ id: 'SettledRejection' });
type Settled = z.output<typeof Settled>;

@Controller('v1/rejections')
@Roles('operator')
export class RejectionsController {
  constructor(
    private readonly database: Database,
    private readonly rejections: SettleRejection,
    private readonly budgets: Budgets,
  ) {}

  @Operation(RejectionPage, { summary: 'Events that were refused, newest first' })
  @Get()
  @Roles('publisher', 'operator')
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<RejectionView>> {
    const { cursor, limit, ...given } = query;
    const [before] = readCursor(cursor, idPlace) ?? [];
    const filter = { ...given, serviceIds: caller.serviceFilter };
    const page = { before, limit: limit + 1 };
    const { rows, stoppedAt } = await inSnapshot(this.database, (sql) => rejectionPage(sql, filter, page));
    return pageOfLooked(rows, limit, stoppedAt);
  }

  @Operation(Rejection, { summary: 'A rejection, for operators with its bytes' })
  @Get(':id')
  @Roles('publisher', 'operator')
  async one(
    @Param('id', { schema: ourRejectionId }) rejection: string,
    @Caller() caller: CallerIdentity,
  ): Promise<Rejection> {
    const whole = await ownRejection(this.database, rejection, caller);
    const { headers, body, ...view } = whole;
    if (!caller.may(['operator'])) return { ...view, event: null, headers: null, bodyBase64: null };
    return { ...view, event: eventOf(whole) ?? null, headers, bodyBase64: body?.toString('base64') ?? null };
  }

  @BareOperation({
    summary: 'The bytes of its event, as they came',
    otherMedia: ['application/octet-stream'],
  })
  @Get(':id/body')
  async body(
    @Param('id', { schema: ourRejectionId }) rejection: string,
    @Caller() caller: CallerIdentity,
  ): Promise<StreamableFile> {
    const { eventId } = await ownRejection(this.database, rejection, caller);
    const pages = bodyPagesOf(this.database, eventId);
    const disposition = `attachment; filename="${rejection}.bin"`;
    return new StreamableFile(Readable.from(pages), { type: 'application/octet-stream', disposition });
  }

  /** Makes a new event, linked to the rejection, which becomes `replayed` if the event is taken. */
  @Operation(Settled, {
    summary: 'Gives its event to the intake again, unchanged or edited',
    refusals: { 409: ['REJECTION_CLOSED'], 422: ['NOTHING_TAKEN'], 503: ['INTAKE_BUSY'] },
    refusalMembers: { 422: Verdicts },
  })
  @Post(':id/replay')
  @HttpCode(200)
  async replay(
    @Param('id', { schema: ourRejectionId }) rejection: string,
    @Body({ schema: replayBody }) { event }: z.output<typeof replayBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<Settled> {
    const replayed = await this.rejections.replay(rejection, event, caller, (plans) =>
      this.budgets.takePlans(caller, plans),
    );
    if (replayed.refused !== undefined) throw nothingTaken([answerFor(replayed.refused, 0)]);
    return settled(replayed);
  }

  @Operation(Settled, {
    summary: 'Closes a rejection without a replay',
    refusals: { 409: ['REJECTION_CLOSED'] },
  })
  @Post(':id/discard')
  @HttpCode(200)
  async discard(
    @Param('id', { schema: ourRejectionId }) rejection: string,
    @Body({ schema: discardBody }) { reason }: z.output<typeof discardBody>,
    @Caller() caller: CallerIdentity,
  ): Promise<Settled> {
    return settled(await this.rejections.discard(rejection, reason, caller));
  }
}

function settled({ rejection, changed }: SettledRejection): Settled {
  const { headers: _, body: __, ...view } = rejection;
  return { ...view, changed };
}

/** Whether a value has more levels than `levels`. A value with thousands of levels could not be written as JSON again. */
function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((member) => isDeeper(member, levels - 1));
}
