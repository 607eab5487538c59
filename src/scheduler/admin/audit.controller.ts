// /v1/audit: everything that was done by hand, newest first. Admins see what concerns the serviceIds they hold.
import { Controller, Get, Query } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../platform/database/database.js';
import { Operation } from '../../platform/http/operation.js';
import { idPlace, pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../platform/http/paging.js';
import { storableText } from '../../platform/http/storable-text.js';
import { AuditRow, listAudit } from '../store/audit.store.js';
import { Caller, type CallerIdentity } from './auth/caller.js';
import { Roles } from './auth/roles.js';

const listQuery = z.object({ ...pageQuery, target: storableText(200).optional() });

const AuditPage = pageSchema(AuditRow);

@Controller('v1/audit')
@Roles('admin')
export class AuditController {
  constructor(private readonly database: Database) {}

  @Operation(AuditPage, { summary: 'What was done by hand, newest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<AuditRow>> {
    const [before] = readCursor(query.cursor, idPlace) ?? [];
    const rows = await listAudit(this.database, {
      target: query.target,
      before,
      held: caller.serviceFilter,
      limit: query.limit + 1,
    });
    return pageOf(rows, query.limit, (row) => [row.id]);
  }
}
