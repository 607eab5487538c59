// /v1/audit: everything that people did by hand, newest first. Admins see what concerns the serviceIds that they hold.
import { Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { Readable } from 'node:stream';
import { z } from 'zod';
import { Database, type Sql } from '../../platform/database/database.js';
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
import { auditPage, AuditRow, type AuditFilter } from '../store/audit.store.js';
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
  format: z
    .enum(['json', 'ndjson'])
    .default('json')
    .describe('ndjson: all rows that match, one a line, without pages'),
});

const AuditPage = pageSchema(AuditRow);
const NDJSON = 'application/x-ndjson';
const EXPORT_PAGE = 500;

/** All rows from `before` on, page by page, so that an export holds no connection while its reader is slow. */
async function* auditLines(
  sql: Sql,
  filter: AuditFilter,
  from: string | undefined,
): AsyncGenerator<string, void, void> {
  for (let before = from, isOver = false; !isOver;) {
    const { rows, stoppedAt } = await auditPage(sql, filter, { before, limit: EXPORT_PAGE });
    if (rows.length > 0) yield rows.map((row) => `${JSON.stringify(row)}\n`).join('');
    before = rows.length === EXPORT_PAGE ? rows.at(-1)?.id : stoppedAt;
    isOver = before === undefined;
  }
}

@Controller('v1/audit')
@Roles('admin')
export class AuditController {
  constructor(private readonly database: Database) {}

  @Operation(AuditPage, { summary: 'What people did by hand, newest first', otherMedia: [NDJSON] })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit, format, ...filter }: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<AuditRow> | StreamableFile> {
    const [before] = readCursor(cursor, idPlace) ?? [];
    const asked = { ...filter, held: caller.serviceFilter };
    if (format === 'ndjson')
      return new StreamableFile(Readable.from(auditLines(this.database, asked, before)), {
        type: NDJSON,
        disposition: 'attachment; filename="audit.ndjson"',
      });
    const found = await auditPage(this.database, asked, { before, limit: limit + 1 });
    return pageOfLooked(found.rows, limit, found.stoppedAt);
  }
}
