// Erasure of a user over HTTP: asked for by an admin, and its certificate. A foreign serviceId or erasure is answered like an unknown one.
import { Controller, Delete, Get, HttpCode, Inject, Param, Query } from '@nestjs/common';
import { createHmac } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { notFound } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { Sealer } from '../../../platform/secrets/sealed.js';
import { MAX_USER_ID_LENGTH } from '../../../push-contract/limits.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { writeAudit } from '../../store/audit.store.js';
import { ProjectStore } from '../../store/project.store.js';
import { checkProject } from '../check-project.js';
import { askErasure, Erasure, readErasure } from './erasure.store.js';

const userIdParam = storableText(MAX_USER_ID_LENGTH).min(1);
const ofService = z.object({ serviceId: storableText(128).min(1).describe('The push project') });
const erasureId = z.uuid();

@Controller('v1')
@Roles('admin')
export class ErasuresController {
  // oxlint-disable-next-line max-params -- injected dependencies, each under its own name
  constructor(
    private readonly database: Database,
    private readonly projects: ProjectStore,
    private readonly sealer: Sealer,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * The answer is a job. Events, lists and look-ups that name the user afterwards bring the id back: stop their sources first. To ask
   * again while it runs is answered with the same job.
   */
  @Operation(Erasure, {
    summary: 'Deletes a user’s id wherever it is kept',
    refusals: { 404: ['NOT_FOUND'] },
  })
  @Delete('recipients/:userId')
  @HttpCode(202)
  async erase(
    @Param('userId', { schema: userIdParam }) userId: string,
    @Query({ schema: ofService }) { serviceId }: z.output<typeof ofService>,
    @Caller() caller: CallerIdentity,
  ): Promise<Erasure> {
    await checkProject(this.projects, serviceId, caller);
    const now = new Date(this.clock.now());
    const userHash = this.#hashOf(serviceId, userId);
    const id = await this.database.transaction(async (sql) => {
      const asked = await askErasure(sql, { serviceId, userId, userHash, by: caller.who, now });
      const after = { erasure: asked };
      const target = userHash;
      await writeAudit(sql, {
        at: now,
        who: caller.who,
        action: 'recipient.erase',
        target,
        serviceId,
        after,
      });
      return asked;
    });
    return this.#shown(id, caller);
  }

  @Operation(Erasure, { summary: 'An erasure: how far it is, and its certificate' })
  @Get('erasures/:id')
  async get(
    @Param('id', { schema: erasureId }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<Erasure> {
    return this.#shown(id, caller);
  }

  async #shown(id: string, caller: CallerIdentity): Promise<Erasure> {
    const erasure = await readErasure(this.database, id);
    if (erasure === undefined || !caller.holds(erasure.serviceId)) throw notFound('erasure');
    return erasure;
  }

  /** Under a key of its own from the current master key, so that nobody without it can try ids until one fits. */
  #hashOf(serviceId: string, userId: string): string {
    const [key] = this.sealer.keysFor('user ids');
    if (key === undefined) throw new Error('there is no master key');
    return createHmac('sha256', key)
      .update(JSON.stringify([serviceId, userId]))
      .digest('hex');
  }
}
