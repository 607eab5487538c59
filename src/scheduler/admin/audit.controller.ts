// /v1/audit: everything that people did by hand, newest first. Admins see what concerns the serviceIds that they hold.
import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../platform/database/database.js';
import { givenInstant } from '../../platform/http/given-instant.js';
import { Operation } from '../../platform/http/operation.decorator.js';
import {
  idPlace,
  pageOfLooked,
  pageQuery,
  pageSchema,
  readCursor,
  type Page,
} from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import { auditPage, AuditRow } from '../store/audit.store.js';
import type { CallerIdentity } from './auth/caller.js';
import { Caller } from './auth/caller.decorator.js';
import { Roles } from './auth/roles.js';

const listQuery = z.object({
  ...pageQuery,
  target: storableText(200).optional(),
  who: storableText(200).optional().describe('As answers show it, token:name (id), or without the id'),
  action: storableText(64).optional().describe('send.retry'),
  serviceId: storableText(128).optional(),
  from: givenInstant.optional(),
  to: givenInstant.optional(),
});

const AuditPage = pageSchema(AuditRow);

@Controller('v1/audit')
@Roles('admin')
export class AuditController {
  constructor(private readonly database: Database) {}

  @Operation(AuditPage, { summary: 'What people did by hand, newest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit, ...filter }: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<AuditRow>> {
    const [before] = readCursor(cursor, idPlace) ?? [];
    const asked = { ...filter, held: caller.serviceFilter };
    const found = await auditPage(this.database, asked, { before, limit: limit + 1 });
    return pageOfLooked(found.rows, limit, found.stoppedAt);
  }
}
