// GET /v1/failures: sends that need attention, in groups, each with the query that finds its sends. Reads only.
import { Controller, Get, Inject, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { inSnapshot } from '../../../platform/database/snapshot.js';
import { anyOf } from '../../../platform/http/names-parameter.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { Counted, pageOf, pageQuery, pageSchema, readCursor } from '../../../platform/http/paging.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { instantText } from '../../../platform/instant.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { ATTENTION_STATES } from '../../decide/lifecycle/send-state.js';
import { FAILURE_KEYS, FailureGroup, failureGroups, type FailureKey } from './failure-groups.store.js';
import { NONE, sendFilterQuery } from '../../store/read/send-filter.js';

const listQuery = z.object({
  ...pageQuery,
  ...sendFilterQuery,
  state: anyOf(ATTENTION_STATES).prefault(ATTENTION_STATES.join(',')),
  groupBy: anyOf(FAILURE_KEYS)
    .transform((keys) => [...new Set(keys)])
    .prefault('code,project')
    .describe(`With commas, beside the state: ${FAILURE_KEYS.join(', ')}`),
});
type ListQuery = z.output<typeof listQuery>;
const place = z.tuple([z.string().regex(/^\d{1,9}$/), storableText(2_000)]);

const Group = FailureGroup.extend({
  filter: z.record(z.string(), z.string()).describe('The query with which GET /v1/sends finds exactly these'),
}).meta({ id: 'FailureGroup' });
type Group = z.output<typeof Group>;
const Failures = z
  .object({
    ...pageSchema(Group).shape,
    sends: Counted.describe(
      'The sends of all groups. Only some 10 000 of the newest are grouped, so there may be more',
    ),
    asOf: z.iso.datetime(),
  })
  .meta({ id: 'Failures' });

/** The parameter of GET /v1/sends for each key of a group. */
const ASKED_BY: Readonly<Record<FailureKey, string>> = {
  code: 'code',
  project: 'serviceId',
  campaign: 'campaign',
  zone: 'zone',
  mode: 'mode',
  httpStatus: 'httpStatus',
};

@Controller('v1/failures')
@Roles('analyst')
export class FailuresController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Operation(Failures, { summary: 'Sends that need attention, in groups, the largest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit, groupBy, ...filter }: ListQuery,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof Failures>> {
    const [sends, last] = readCursor(cursor, place) ?? [];
    const after = sends === undefined || last === undefined ? undefined : ([Number(sends), last] as const);
    const asOf = instantText(this.clock.now());
    const held = { ...filter, serviceIds: caller.serviceFilter, newestOnly: true };
    const found = await inSnapshot(this.database, (sql) =>
      failureGroups(sql, held, groupBy, { after, limit: limit + 1 }),
    );
    const page = pageOf(
      found.groups,
      limit,
      (group) => [String(group.sends), group.place],
      (placed): Group => {
        const { place: _, ...group } = placed;
        return { ...group, filter: filterOf(group, filter, groupBy) };
      },
    );
    return { ...page, sends: found.sends, asOf };
  }
}

/** The query of GET /v1/sends that finds the sends of the group: the caller's query with the group's keys. */
function filterOf(
  group: FailureGroup,
  asked: Omit<ListQuery, 'cursor' | 'limit' | 'groupBy'>,
  groupBy: readonly FailureKey[],
): Record<string, string> {
  const keys = groupBy.map((key) => [ASKED_BY[key], group[key] ?? NONE] as const);
  const all = { ...asked, ...Object.fromEntries(keys), state: group.state };
  const given = Object.entries(all).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}
