// /v1/recipients: the directory of users' zones, filled by publishers, and where it disagrees with the push service.
import { Controller, Get, HttpCode, Inject, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { issueText } from '../../../platform/http/issue-text.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { pageQuery, pageSchema, readCursor, writeCursor, type Page } from '../../../platform/http/paging.js';
import { Problem } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { CLOCK, ZONE_RULES } from '../../../platform/injection-tokens.js';
import { instantText } from '../../../platform/instant.js';
import { MAX_USER_ID_LENGTH } from '../../../push-contract/limits.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { ProjectStore } from '../../store/project.store.js';
import { checkProject } from '../check-project.js';
import { uploadOf, UploadTurns } from '../rows/upload-of-request.js';
import { isRefusal, statusOf } from '../upload-refusal.js';
import { directoryZones, driftPage, type DriftRow } from './drift.store.js';
import { PutZones, PutZonesFault } from './put-zones.js';

const serviceId = storableText(128).min(1).describe('The push project');
const ofService = z.object({ serviceId });
const driftQuery = z.object({ serviceId, ...pageQuery });
const userId = storableText(MAX_USER_ID_LENGTH).min(1);
const place = z.tuple([userId]);

const ZonesBody = z
  .strictObject({
    recipients: z
      .array(
        z.strictObject({
          userId,
          zone: z.string().min(1).max(64).nullable().describe('An IANA zone; null takes it away'),
        }),
      )
      .min(1),
  })
  .meta({ id: 'RecipientZones', examples: [{ recipients: [{ userId: 'user-1', zone: 'Asia/Seoul' }] }] });

const rows = z.int().min(0);
const PutAnswer = z
  .object({
    serviceId: z.string(),
    rows: rows.describe('Rows that came'),
    written: rows.describe(
      'Users whose zone is now as it was sent; of several rows of a user the last counts',
    ),
    deleted: rows.describe('Of the users, those whose zone was taken away'),
    older: rows.describe('Users of whom something newer was said before: it stays'),
    invalidZones: z
      .array(z.object({ value: z.string(), rows, near: z.string().optional() }))
      .describe('Names that are no IANA zones: the directory keeps what it had'),
  })
  .meta({ id: 'PutRecipientZones' });

const Drift = z
  .object({
    userId: z.string(),
    zone: z.string().describe('In the directory: campaigns go by it'),
    zoneOffsetSeconds: z.int().describe('What the clocks of that zone are ahead of UTC by now'),
    registeredOffsetSeconds: z.int().describe('What the push service said'),
    lookedUpAt: z.iso.datetime().describe('When it said so'),
  })
  .meta({ id: 'RecipientDrift' });
const DriftPage = pageSchema(Drift);

@Controller('v1/recipients')
@Roles('publisher')
export class ZonesController {
  // oxlint-disable-next-line max-params -- injected parts, each under its own name
  constructor(
    private readonly database: Database,
    private readonly zones: PutZones,
    private readonly turns: UploadTurns,
    private readonly projects: ProjectStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
  ) {}

  /** Rows without a zone take it away. Rows before a fault are kept: to send all of them again is harmless. */
  @Operation(PutAnswer, {
    summary: 'Puts zones of users into the directory',
    body: { 'application/json': ZonesBody, 'text/csv': z.string(), 'application/x-ndjson': z.string() },
    refusals: {
      400: ['BROKEN_BODY'],
      404: ['NOT_FOUND'],
      413: ['TOO_MANY_ROWS'],
      422: ['INVALID_ROWS', 'TOO_MANY_ZONES'],
      503: ['UPLOADS_BUSY'],
    },
  })
  @Put('zones')
  @HttpCode(200)
  async put(
    @Query({ schema: ofService }) query: z.output<typeof ofService>,
    @Req() request: FastifyRequest,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof PutAnswer>> {
    const { serviceId: service } = query;
    await checkProject(this.projects, service, caller);
    const given = request.body instanceof Readable ? uploadOf(request) : rowsIn(request.body);
    try {
      const end = await this.turns.take(caller.owner, () => this.zones.put(service, caller.who, given));
      return { serviceId: service, ...end, invalidZones: [...end.invalidZones] };
    } catch (error) {
      throw error instanceof PutZonesFault ? faultOf(error) : error;
    }
  }

  /** Users whose zone in the directory has another offset now than the one that they registered at the push service. */
  @Operation(DriftPage, { summary: 'Users whose clock the directory and the push service tell differently' })
  @Get('drift')
  @Roles('analyst')
  async drift(
    @Query({ schema: driftQuery }) query: z.output<typeof driftQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<z.output<typeof Drift>>> {
    const { serviceId: service, limit } = query;
    await checkProject(this.projects, service, caller);
    const [after = ''] = readCursor(query.cursor, place) ?? [];
    const names = await directoryZones(this.database, service, after);
    const offsets = new Map(names.flatMap((zone) => this.#offsetOf(zone)));
    const zones = [...offsets].map(([zone, offsetSeconds]) => ({ zone, offsetSeconds }));
    const page = await driftPage(this.database, { serviceId: service, zones, after, limit });
    return {
      items: page.rows.map((row) => shown(row, offsets.get(row.zone) ?? 0)),
      nextCursor: page.stoppedAt === undefined ? null : writeCursor([page.stoppedAt]),
    };
  }

  /** None for a name that is a zone no more. */
  #offsetOf(zone: string): [string, number][] {
    const offsetMs = this.rules.table(zone)?.offsetAt(this.clock.now());
    return offsetMs === undefined ? [] : [[zone, offsetMs / 1_000]];
  }
}

function shown(
  { userId: id, zone, registeredOffsetSeconds, lookedUpAt }: DriftRow,
  zoneOffsetSeconds: number,
) {
  return {
    userId: id,
    zone,
    zoneOffsetSeconds,
    registeredOffsetSeconds,
    lookedUpAt: instantText(lookedUpAt.getTime()),
  };
}

function rowsIn(body: unknown): [string, string | null][] {
  const read = ZonesBody.safeParse(body);
  if (read.success) return read.data.recipients.map((one) => [one.userId, one.zone]);
  const problems = read.error.issues.map((issue) => ({
    pointer: issue.path.map((part) => `/${String(part)}`).join(''),
    code: 'INVALID_VALUE',
    text: issueText(issue),
  }));
  throw new Problem(400, 'INVALID_REQUEST', 'the request does not fit what this route takes', { problems });
}

/** What the rows before it came to is said with it. */
function faultOf({ cause, kept }: PutZonesFault): unknown {
  if (!isRefusal(cause)) return cause;
  const text = `${cause.message}; ${kept} rows before it are kept: send all of them again`;
  return new Problem(statusOf(cause.code), cause.code, text);
}
