// /v1/tokens, for admins whose token holds every serviceId: an admin who may make tokens may make any token.
import { Body, Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../../platform/database/database.js';
import { BareOperation, Operation } from '../../../platform/http/operation.decorator.js';
import {
  idPlace,
  pageOf,
  pageQuery,
  pageSchema,
  readCursor,
  type Page,
} from '../../../platform/http/paging.js';
import { Problem } from '../../../platform/http/problem.js';
import { ShownOnce } from '../../../platform/http/shown-once.decorator.js';
import { TokenStore } from '../../store/token.store.js';
import type { CallerIdentity } from '../auth/caller.js';
import { Caller } from '../auth/caller.decorator.js';
import { Roles } from '../auth/roles.js';
import {
  ChangeToken,
  NewTokenView,
  tokenBody,
  TokenView,
  viewToken,
  type TokenBody,
} from './change-token.js';

const listQuery = z.object(pageQuery);
const idParam = z.uuid();
const TokenPage = pageSchema(TokenView);

@Controller('v1/tokens')
@Roles('admin')
export class TokensController {
  constructor(
    private readonly database: Database,
    private readonly tokens: TokenStore,
    private readonly change: ChangeToken,
  ) {}

  @Operation(TokenPage, { summary: 'Tokens', refusals: { 403: ['SERVICE_NOT_HELD'] } })
  @Get()
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<TokenView>> {
    mustHoldEverything(caller);
    const [after] = readCursor(query.cursor, idPlace) ?? [];
    const rows = await this.tokens.list(this.database, after, query.limit + 1);
    return pageOf(rows, query.limit, (row) => [row.id], viewToken);
  }

  /** The answer's `token` is shown this once, also where the request had an Idempotency-Key. */
  @Operation(NewTokenView, {
    summary: 'Makes a token',
    refusals: { 403: ['SERVICE_NOT_HELD'], 409: ['TOKEN_NAME_TAKEN'] },
  })
  @Post()
  @ShownOnce('token')
  create(
    @Body({ schema: tokenBody }) body: TokenBody,
    @Caller() caller: CallerIdentity,
  ): Promise<NewTokenView> {
    mustHoldEverything(caller);
    return this.change.create(body, caller.who);
  }

  @BareOperation({ summary: 'Revokes a token', refusals: { 403: ['SERVICE_NOT_HELD'] } })
  @Delete(':id')
  @HttpCode(204)
  async revoke(
    @Param('id', { schema: idParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<void> {
    mustHoldEverything(caller);
    await this.change.revoke(id, caller.who);
  }
}

function mustHoldEverything(caller: CallerIdentity): void {
  if (caller.holdsEverything) return;
  throw new Problem(403, 'SERVICE_NOT_HELD', 'this needs a token that holds every serviceId (*)');
}
