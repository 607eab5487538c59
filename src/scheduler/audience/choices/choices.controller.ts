// /v1/zones, /v1/services, /v1/channels, /v1/schedules: what somebody who writes a campaign may choose from. Reads only.
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { setImmediate as rest } from 'node:timers/promises';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../../platform/http/paging.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { CLOCK, ZONE_RULES } from '../../../platform/injection-tokens.js';
import { byText } from '../../../platform/compare-texts.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { ROLES, type CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { ProjectStore } from '../../store/project.store.js';
import { checkProject } from '../check-project.js';
import { AskNames, type NamesAsk } from './ask-names.js';
import { servicePage, ServiceRow } from './services.store.js';

const serviceQuery = z.object(pageQuery);
const servicePlace = z.tuple([storableText(128)]);
const ServicePage = pageSchema(ServiceRow);

const namesQuery = z.object({
  serviceId: storableText(128).min(1).describe('The push project'),
  q: storableText(100).default('').describe('Part of the name'),
  page: z.coerce.number().int().min(0).max(10_000).default(0).describe('From 0; a page has 100 names'),
});
const Names = z
  .object({
    items: listOf(z.object({ name: z.string(), description: z.string().nullable() })),
    hasMore: z.boolean().describe('There is a further page'),
    lack: z
      .string()
      .nullable()
      .describe(
        'Why the push service did not answer, as a code: then these are names that planning has seen lately; NO_LIST: it has no such list',
      ),
  })
  .meta({ id: 'GatewayNames' });
type Names = z.output<typeof Names>;

const Zones = z
  .object({
    tzdata: z.string().describe('The release of the time zone database'),
    now: z.iso.datetime(),
    items: listOf(
      z.object({
        zone: z.string().describe('An IANA name'),
        offsetSeconds: z.int().describe('Ahead of UTC now'),
      }),
    ),
  })
  .meta({ id: 'Zones' });

/** Reading the rules of a zone for the first time takes up to half a millisecond. */
const ZONES_AT_ONCE = 10;

@Controller('v1')
@Roles(...ROLES)
export class ChoicesController {
  // oxlint-disable-next-line max-params -- injected dependencies, each under its own name
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectStore,
    private readonly names: AskNames,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
  ) {}

  @Operation(Zones, { summary: 'The zones that a campaign may name, with their offsets now' })
  @Get('zones')
  async zones(): Promise<z.output<typeof Zones>> {
    const now = this.clock.now();
    const items: { zone: string; offsetSeconds: number }[] = [];
    for (const zone of this.rules.names().toSorted(byText)) {
      if (items.length % ZONES_AT_ONCE === 0) await rest();
      items.push({ zone, offsetSeconds: (this.rules.table(zone)?.offsetAt(now) ?? 0) / 1_000 });
    }
    return { tzdata: this.rules.version, now: new Date(now).toISOString(), items };
  }

  @Operation(ServicePage, { summary: 'Push projects, as far as somebody who writes a campaign needs them' })
  @Get('services')
  async services(
    @Query({ schema: serviceQuery }) { cursor, limit }: z.output<typeof serviceQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<ServiceRow>> {
    const [after] = readCursor(cursor, servicePlace) ?? [];
    const page = { after, limit: limit + 1, now: new Date(this.clock.now()) };
    const rows = await servicePage(this.database, caller.serviceFilter, page);
    return pageOf(rows, limit, ({ serviceId }) => [serviceId]);
  }

  @Operation(Names, { summary: 'Channels of a push project', refusals: { 404: ['NOT_FOUND'] } })
  @Get('channels')
  @Roles('publisher')
  channels(
    @Query({ schema: namesQuery }) query: z.output<typeof namesQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Names> {
    return this.#names({ ...query, kind: 'channel' }, caller);
  }

  @Operation(Names, { summary: 'Schedules of a push project', refusals: { 404: ['NOT_FOUND'] } })
  @Get('schedules')
  @Roles('publisher')
  schedules(
    @Query({ schema: namesQuery }) query: z.output<typeof namesQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Names> {
    return this.#names({ ...query, kind: 'schedule' }, caller);
  }

  async #names(asked: NamesAsk, caller: CallerIdentity): Promise<Names> {
    await checkProject(this.projects, asked.serviceId, caller);
    const { items, hasMore, lack = null } = await this.names.ask(asked);
    return { items: [...items], hasMore, lack };
  }
}
