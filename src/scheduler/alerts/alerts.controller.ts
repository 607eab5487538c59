// /v1/alerts: what needs a person, or needed one in the last 90 days. Acknowledging says who has taken it up; it ends nothing.
import { Controller, Get, HttpCode, Inject, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { Operation } from '../../platform/http/operation.decorator.js';
import { idPlace, pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../platform/http/paging.js';
import { notFound } from '../../platform/http/problem.js';
import { storableText } from '../../platform/http/storable-text.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import type { CallerIdentity } from '../admin/auth/caller.js';
import { Caller } from '../admin/auth/caller.decorator.js';
import { Roles } from '../admin/auth/roles.js';
import { writeAudit } from '../store/audit.store.js';
import { AlertView, alertView } from './alert-view.js';
import { acknowledgeAlert, alertById, alertPage } from './alert.store.js';

const listQuery = z.object({
  ...pageQuery,
  state: z.enum(['open', 'ended']).optional().describe('Left out: both'),
  serviceId: storableText(128).optional().describe('Only those of this project'),
});
const idParam = z.uuid();
const AlertPage = pageSchema(AlertView);

@Controller('v1/alerts')
@Roles('analyst')
export class AlertsController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Operation(AlertPage, { summary: 'What needs a person, or did, newest first' })
  @Get()
  async list(
    @Query({ schema: listQuery }) { cursor, limit, state, serviceId }: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<AlertView>> {
    const [before] = readCursor(cursor, idPlace) ?? [];
    const filter = { state, serviceId, held: caller.serviceFilter };
    const rows = await alertPage(this.database, filter, { before, limit: limit + 1 });
    return pageOf(rows, limit, ({ id }) => [id], alertView);
  }

  @Operation(AlertView, { summary: 'Says that the caller has taken it up' })
  @Post(':id/acknowledge')
  @HttpCode(200)
  @Roles('operator')
  async acknowledge(
    @Param('id', { schema: idParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<AlertView> {
    const now = this.clock.now();
    return this.database.transaction(async (sql) => {
      const alert = await alertById(sql, id);
      const mayAct =
        alert?.serviceId === null ? caller.holdsEverything : caller.holds(alert?.serviceId ?? '');
      if (alert === undefined || !mayAct) throw notFound('alert');
      const { who } = caller;
      const after = (await acknowledgeAlert(sql, id, { who, now })) ?? alert;
      const serviceId = alert.serviceId ?? undefined;
      const at = new Date(now);
      const { cause } = alert;
      await writeAudit(sql, {
        at,
        who,
        action: 'alert.acknowledge',
        target: id,
        serviceId,
        after: { cause },
      });
      return alertView(after);
    });
  }
}
