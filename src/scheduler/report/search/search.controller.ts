// GET /v1/search: one field for whatever id somebody has in hand. Exact ids first; then campaigns and services whose name has the text.
import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../../platform/database/database.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { ROLES, type CallerIdentity, type Role } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { campaignPage } from '../lists/campaign-list.store.js';
import { findById, FOUND_KINDS, type FoundKind } from './search.store.js';

const searchQuery = z.object({
  q: storableText(200).trim().min(2).describe('An id, or part of the name of a campaign'),
  limit: z.coerce.number().int().min(1).max(50).default(20),
});

const Found = z.object({
  kind: z.enum(FOUND_KINDS),
  id: z.string().describe('Ours; of a service or list its name; of an event our id of its campaign'),
  serviceId: z.string().nullable(),
  name: z.string().nullable(),
  by: z.string().describe('The member that has the text'),
  exact: z.boolean().describe('The text is the whole value'),
  state: z.string().nullable(),
});
const SearchResult = z
  .object({
    items: listOf(Found).describe('Exact ones first'),
    complete: z.boolean().describe('false: only the newest campaigns were compared by name'),
  })
  .meta({ id: 'SearchResult' });
type SearchResult = z.output<typeof SearchResult>;

/** Kinds that not every role may see. */
const ROLES_OF_KIND: Partial<Record<FoundKind, readonly Role[]>> = {
  rejection: ['publisher', 'operator'],
  retries: ['operator'],
  resolves: ['operator'],
  list: ['publisher'],
};

@Controller('v1/search')
@Roles(...ROLES)
export class SearchController {
  constructor(private readonly database: Database) {}

  @Operation(SearchResult, { summary: 'Finds what an id or a name belongs to', inTurn: true })
  @Get()
  async search(
    @Query({ schema: searchQuery }) { q, limit }: z.output<typeof searchQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<SearchResult> {
    const { serviceFilter: serviceIds } = caller;
    const kinds = FOUND_KINDS.filter((kind) => caller.may(ROLES_OF_KIND[kind] ?? ROLES));
    const exact = (await findById(this.database, q, { kinds, serviceIds })).slice(0, limit);
    if (exact.length === limit)
      return { items: exact.map((row) => ({ ...row, exact: true })), complete: true };
    const page = { newest: true, from: undefined, limit };
    const named = await campaignPage(this.database, { q, serviceIds }, page);
    const others = named.rows.filter(({ id }) => !exact.some((one) => one.id === id));
    return {
      items: [
        ...exact.map((row) => ({ ...row, exact: true })),
        ...others.slice(0, limit - exact.length).map(({ id, serviceId, name, campaignId, state }) => ({
          kind: 'campaign' as const,
          id,
          serviceId,
          name: name ?? campaignId,
          by: 'name',
          exact: name === q,
          state,
        })),
      ],
      complete: named.stoppedAt === undefined,
    };
  }
}
