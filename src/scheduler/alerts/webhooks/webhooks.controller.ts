// /v1/webhooks: whom alerts are posted to. For admins whose token holds every service: an address decides where requests go.
import { randomBytes } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { BareOperation, Operation } from '../../../platform/http/operation.decorator.js';
import { pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../../platform/http/paging.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import { ShownOnce } from '../../../platform/http/shown-once.decorator.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { instantText } from '../../../platform/instant.js';
import { Sealer } from '../../../platform/secrets/sealed.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { GatewayHosts } from '../../push-client/gateway-hosts.js';
import { writeAudit } from '../../store/audit.store.js';
import { WEBHOOK_SECRET } from '../../store/sealed-columns.js';
import { CAUSE_CODES } from '../cause.js';
import { SendWebhooks } from './send-webhooks.js';
import {
  deleteWebhook,
  insertWebhook,
  webhookAddress,
  webhookById,
  webhookPage,
  type WebhookRow,
} from './webhook.store.js';

/** Standard Webhooks: 24 to 64 bytes behind the prefix. */
const SECRET = /^whsec_[A-Za-z0-9+/]{32,86}={0,2}$/;
const webhookBody = z
  .strictObject({
    url: z.url({ protocol: /^https?$/ }).max(2_000),
    secret: z
      .string()
      .regex(SECRET, 'must be whsec_ and base64 of 24 to 64 bytes')
      .optional()
      .describe('Left out: one is made, and shown this once'),
    causes: z.array(z.enum(CAUSE_CODES)).min(1).max(CAUSE_CODES.length).optional().describe('Left out: all'),
    services: z
      .array(storableText(128))
      .min(1)
      .max(1_000)
      .optional()
      .describe('Left out: all, and what concerns the whole installation'),
  })
  .meta({ examples: [{ url: 'https://hooks.example.com/carillon', causes: ['BLOCKED', 'LATE'] }] });
type WebhookBody = z.output<typeof webhookBody>;

const instant = z.iso.datetime();
const WebhookView = z
  .object({
    id: z.string(),
    url: z.string(),
    causes: listOf(z.enum(CAUSE_CODES)).nullable().describe('null: all'),
    services: listOf(z.string()).nullable().describe('null: all, and the whole installation'),
    createdAt: instant,
    createdBy: z.string(),
    deliveredAt: instant.nullable().describe('When a message was taken last'),
    failingSince: instant.nullable().describe('Since when no try got through; null: the last one did'),
    lastError: z.string().nullable(),
  })
  .meta({ id: 'Webhook' });
type WebhookView = z.output<typeof WebhookView>;
const NewWebhookView = WebhookView.extend({
  secret: z.string().nullable().describe('Shown this once; signs every message'),
}).meta({ id: 'NewWebhook' });
type NewWebhookView = z.output<typeof NewWebhookView>;
const TestView = z
  .object({ taken: z.boolean(), status: z.int().nullable(), error: z.string().nullable() })
  .meta({ id: 'WebhookTest' });
type TestView = z.output<typeof TestView>;
const WebhookPage = pageSchema(WebhookView);
const listQuery = z.object(pageQuery);
const idParam = storableText(64);
const place = z.tuple([storableText(64)]);
const REFUSALS = { refusals: { 403: ['ALL_SERVICES_NEEDED'] } } as const;

@Controller('v1/webhooks')
@Roles('admin')
export class WebhooksController {
  constructor(
    private readonly database: Database,
    private readonly sender: SendWebhooks,
    private readonly sealer: Sealer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Operation(WebhookPage, { summary: 'Whom alerts are posted to', ...REFUSALS })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit }: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<WebhookView>> {
    mustHoldEverything(caller);
    const [after] = readCursor(cursor, place) ?? [];
    const rows = await webhookPage(this.database, after, limit + 1);
    return pageOf(rows, limit, ({ id }) => [id], viewOf);
  }

  /** The secret is shown this once, also where the request had an Idempotency-Key. */
  @Operation(NewWebhookView, {
    summary: 'Makes a webhook',
    refusals: { 400: ['ADDRESS_REFUSED'], 403: ['ALL_SERVICES_NEEDED'] },
  })
  @Post()
  @ShownOnce('secret')
  async create(
    @Body({ schema: webhookBody }) { url, causes, services, secret = newSecret() }: WebhookBody,
    @Caller() caller: CallerIdentity,
  ): Promise<NewWebhookView> {
    mustHoldEverything(caller);
    mayBePosted(url);
    const now = this.clock.now();
    const id = `wh_${v7({ msecs: now })}`;
    const secretSealed = this.sealer.seal(secret, WEBHOOK_SECRET, id);
    const { who } = caller;
    const made = { id, url, causes: causes ?? null, services: services ?? null };
    const at = new Date(now);
    return this.database.transaction(async (sql) => {
      await insertWebhook(sql, { ...made, secretSealed, createdAt: at, createdBy: who });
      await writeAudit(sql, { at, who, action: 'webhook.create', target: id, after: made });
      const row = await webhookById(sql, id);
      if (row === undefined) throw new Error('a webhook vanished within its own transaction');
      return { ...viewOf(row), secret };
    });
  }

  @BareOperation({ summary: 'Removes a webhook and what it was still to be told', ...REFUSALS })
  @Delete(':id')
  @HttpCode(204)
  async remove(
    @Param('id', { schema: idParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<void> {
    mustHoldEverything(caller);
    const at = new Date(this.clock.now());
    await this.database.transaction(async (sql) => {
      if (!(await deleteWebhook(sql, id))) throw notFound('webhook');
      await writeAudit(sql, { at, who: caller.who, action: 'webhook.delete', target: id });
    });
  }

  /** Posts a message of the type `test` once, and says what came back. */
  @Operation(TestView, { summary: 'Tries a webhook', changesNothing: true, ...REFUSALS })
  @Post(':id/test')
  @HttpCode(200)
  async test(
    @Param('id', { schema: idParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<TestView> {
    mustHoldEverything(caller);
    const address = await webhookAddress(this.database, id);
    if (address === undefined) throw notFound('webhook');
    const { status, error } = await this.sender.test(id, address);
    return { taken: error === null, status, error };
  }
}

const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

function viewOf(row: WebhookRow): WebhookView {
  const textOf = (at: Date | null): string | null => (at === null ? null : instantText(at.getTime()));
  const { createdAt, deliveredAt, failingSince, ...same } = row;
  return {
    ...same,
    createdAt: instantText(createdAt.getTime()),
    deliveredAt: textOf(deliveredAt),
    failingSince: textOf(failingSince),
  };
}

/** The address is checked again at each connection, because a name may lead elsewhere by then. */
function mayBePosted(url: string): void {
  const refusal = new GatewayHosts().refusal(new URL(url).hostname);
  if (refusal !== undefined)
    throw new Problem(400, 'ADDRESS_REFUSED', 'the url leads to a link-local or metadata address');
}

function mustHoldEverything(caller: CallerIdentity): void {
  if (caller.holdsEverything) return;
  throw new Problem(403, 'ALL_SERVICES_NEEDED', 'webhooks need a token that holds every serviceId (*)');
}
