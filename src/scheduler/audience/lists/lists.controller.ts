// /v1/audiences: lists of users, uploaded as a stream, shown and deleted by publishers. A foreign serviceId is answered like an
// unknown one.
import { Controller, Delete, Get, HttpCode, Inject, Param, Put, Query, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { instantText } from '../../../platform/instant.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { pageOf, pageQuery, readCursor, type Page } from '../../../platform/http/paging.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../../scheduler.config.js';
import { writeAudit } from '../../store/audit.store.js';
import { ProjectStore } from '../../store/project.store.js';
import { checkProject } from '../check-project.js';
import { uploadOf, UploadTurns } from '../rows/upload-of-request.js';
import { statusOf } from '../upload-refusal.js';
import { deleteList, readLists, readVersions, type ListRow, type VersionRow } from './list-read.store.js';
import { DeletedList, ListDetail, ListedList, listNameParam, ListPage, UploadedList } from './list-view.js';
import { UploadList, type UploadEnd } from './upload-list.js';

const serviceId = storableText(128).min(1).describe('The push project');
const ofService = z.object({ serviceId });
const listQuery = z.object({ serviceId: serviceId.optional(), ...pageQuery });
const putQuery = z.object({
  serviceId,
  expiresInDays: z.coerce
    .number()
    .int()
    .min(1)
    .max(366)
    .optional()
    .describe('Days for which campaigns may be published to it [LIST_EXPIRES_DAYS]'),
});
const place = z.tuple([storableText(128), listNameParam]);

@Controller('v1/audiences')
@Roles('publisher')
export class ListsController {
  // oxlint-disable-next-line max-params -- injected parts, each under its own name
  constructor(
    private readonly database: Database,
    private readonly uploads: UploadList,
    private readonly turns: UploadTurns,
    private readonly projects: ProjectStore,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(SCHEDULER_CONFIG) private readonly config: Pick<SchedulerConfig, 'listExpiresDays'>,
  ) {}

  /** Rows of userId[,zone]. All of them, or nothing: until the answer, the version before counts. */
  @Operation(UploadedList, {
    summary: 'Uploads a list of users',
    body: { 'text/csv': z.string(), 'application/x-ndjson': z.string() },
    refusals: {
      400: ['BROKEN_BODY'],
      404: ['NOT_FOUND'],
      409: ['UPLOAD_UNDER_WAY', 'UPLOAD_CALLED_OFF'],
      413: ['TOO_MANY_ROWS'],
      422: ['INVALID_ROWS', 'TOO_MANY_ZONES', 'EMPTY_LIST'],
      503: ['UPLOADS_BUSY', 'UPLOAD_LOST'],
    },
  })
  @Put(':name')
  @HttpCode(200)
  async put(
    @Param('name', { schema: listNameParam }) name: string,
    @Query({ schema: putQuery }) query: z.output<typeof putQuery>,
    @Req() request: FastifyRequest,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof UploadedList>> {
    const { serviceId: service, expiresInDays = this.config.listExpiresDays } = query;
    await checkProject(this.projects, service, caller);
    const asked = { serviceId: service, name, by: caller.who, expiresInDays };
    const end = await this.turns.take(caller.owner, () => this.uploads.put(asked, uploadOf(request)));
    if (end.kind !== 'taken') throw problemOf(end, name);
    const { isUnchanged: unchanged, expiresAt, ...list } = end.list;
    return {
      serviceId: service,
      name,
      ...list,
      byZone: [...list.byZone],
      invalidZones: [...list.invalidZones],
      unchanged,
      expiresAt: instantText(expiresAt),
    };
  }

  @Operation(ListPage, { summary: 'Lists of users' })
  @Get()
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<z.output<typeof ListedList>>> {
    const after = readCursor(query.cursor, place) ?? [];
    const held = caller.heldOf(query.serviceId);
    const rows = await readLists(this.database, { held, after, limit: query.limit + 1 });
    return pageOf(rows, query.limit, (row) => [row.serviceId, row.name], shownList);
  }

  @Operation(ListDetail, {
    summary: 'A list: its versions, and uploads under way',
    refusals: { 404: ['NOT_FOUND'] },
  })
  @Get(':name')
  async get(
    @Param('name', { schema: listNameParam }) name: string,
    @Query({ schema: ofService }) query: z.output<typeof ofService>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof ListDetail>> {
    const list = { serviceId: query.serviceId, name };
    const rows = caller.holds(list.serviceId) ? await readVersions(this.database, list) : [];
    if (rows.length === 0) throw notFound('list');
    const uploads = rows
      .filter(({ state }) => state === 'loading')
      .map(({ version, rows: count, bytes, begunAt }) => ({
        version,
        rows: count,
        bytes,
        begunAt: instantText(begunAt.getTime()),
      }));
    return { ...list, versions: rows.flatMap(shownVersion), uploads };
  }

  /** An upload of its name that is under way is called off. */
  @Operation(DeletedList, { summary: 'Deletes a list', refusals: { 404: ['NOT_FOUND'] } })
  @Delete(':name')
  async delete(
    @Param('name', { schema: listNameParam }) name: string,
    @Query({ schema: ofService }) query: z.output<typeof ofService>,
    @Caller() caller: CallerIdentity,
  ): Promise<z.output<typeof DeletedList>> {
    const list = { serviceId: query.serviceId, name };
    if (!caller.holds(list.serviceId)) throw notFound('list');
    const deleted = await this.database.transaction(async (sql) => {
      const left = await deleteList(sql, list);
      if (left === undefined) throw notFound('list');
      const at = new Date(this.clock.now());
      const target = `${list.serviceId}/${name}`;
      await writeAudit(sql, {
        at,
        who: caller.who,
        action: 'list.delete',
        target,
        serviceId: list.serviceId,
      });
      return left;
    });
    return { ...list, ...deleted };
  }
}

function problemOf(end: Exclude<UploadEnd, { kind: 'taken' }>, name: string): Problem {
  switch (end.kind) {
    case 'refused':
      return new Problem(statusOf(end.code), end.code, `${end.text}; nothing was changed`);
    case 'busy': {
      const text = `another upload of ${name} is under way since ${instantText(end.since.getTime())}, with ${end.rows} rows so far: wait for it, or call it off with DELETE`;
      return new Problem(409, 'UPLOAD_UNDER_WAY', text);
    }
    case 'called-off':
      return new Problem(
        409,
        'UPLOAD_CALLED_OFF',
        'the list was deleted during the upload; nothing was changed',
      );
    case 'lost':
      return new Problem(
        503,
        'UPLOAD_LOST',
        'the database has lost a part of the upload, and nothing was changed: send it again',
        {
          retryAfterSeconds: 10,
        },
      );
    default:
      return end satisfies never;
  }
}

function shownList({ readyAt, expiresAt, ...list }: ListRow): z.output<typeof ListedList> {
  return { ...list, readyAt: instantText(readyAt.getTime()), expiresAt: instantText(expiresAt.getTime()) };
}

function shownVersion({ state, begunAt: _begunAt, bytes: _bytes, ...row }: VersionRow) {
  const { contentDigest, readyAt, expiresAt } = row;
  if (state === 'loading' || contentDigest === null || readyAt === null || expiresAt === null) return [];
  const instants = { readyAt: instantText(readyAt.getTime()), expiresAt: instantText(expiresAt.getTime()) };
  return [{ ...row, contentDigest, ...instants }];
}
