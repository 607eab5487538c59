// Services: create, read, change, suspend, remove. Each change makes the gateway forget the keys that it remembers.
import { serviceSettings, type IssuedKey, type ServiceRow } from './management-answers.js';
import { randomInt } from 'node:crypto';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post } from '@nestjs/common';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { invalidMember, notFound, Problem } from '../../platform/http/problem.js';
import { CLOCK, ZONE_RULES } from '../../platform/injection-tokens.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { UNKNOWN_ZONE } from '../wall-clock.js';
import { AccessKeys } from './access-keys.js';
import { requireFound } from './require-found.js';
import {
  ensureAccount,
  findService,
  insertService,
  listServices,
  updateService,
} from './management.store.js';
import { removeService } from './remove-service.js';

const ChangeService = z.strictObject(serviceSettings).partial();
const CreateService = ChangeService.extend({
  /** Letters of any script, digits and `:._-`. By default the id is generated. */
  serviceId: z
    .string()
    .regex(/^[\p{L}\p{N}:._-]{1,128}$/u, 'must be 1 to 128 letters, digits or :._-')
    .optional(),
  /** The account whose keys may use it. By default a new account with a first key. */
  accountId: z
    .string()
    .regex(/^[A-Za-z0-9_-]{1,64}$/, 'must match [A-Za-z0-9_-]{1,64}')
    .optional(),
});

@Controller('v1/services')
export class ServicesController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly keys: AccessKeys,
    @Inject(ZONE_RULES) private readonly rules: ZoneRules,
  ) {}

  /** `key`: the first key pair of a new account; only this answer shows its secret. Null where the account existed. */
  @Post()
  async create(
    @Body({ schema: CreateService }) body: z.output<typeof CreateService>,
  ): Promise<{ service: ServiceRow; key: IssuedKey | null }> {
    this.#checkZone(body);
    const { serviceId, accountId = v7({ msecs: this.clock.now() }), ...given } = body;
    const now = new Date(this.clock.now());
    const id = serviceId ?? `svc:push:kr:${randomInt(1e11, 1e12)}:service`;
    const made = await this.database.transaction(async (sql) => {
      const isNew = await ensureAccount(sql, accountId, now);
      const service = await insertService(sql, { id, accountId }, given, now);
      if (service === undefined)
        throw new Problem(409, 'SERVICE_EXISTS', 'there is, or was, a service of this id');
      return { service, isNew };
    });
    this.keys.changed();
    return { service: made.service, key: made.isNew ? await this.keys.issue(accountId) : null };
  }

  @Get()
  list(): Promise<ServiceRow[]> {
    return listServices(this.database);
  }

  @Get(':serviceId')
  async get(@Param('serviceId') serviceId: string): Promise<ServiceRow> {
    return requireFound(await findService(this.database, serviceId), 'service');
  }

  @Patch(':serviceId')
  async change(
    @Param('serviceId') serviceId: string,
    @Body({ schema: ChangeService }) body: z.output<typeof ChangeService>,
  ): Promise<ServiceRow> {
    this.#checkZone(body);
    const now = new Date(this.clock.now());
    const service = requireFound(await updateService(this.database, serviceId, body, now), 'service');
    this.keys.changed();
    return service;
  }

  /** Removes its users, channels, messages and schedules as well. The id can never be used again. */
  @Delete(':serviceId')
  @HttpCode(204)
  async remove(@Param('serviceId') serviceId: string): Promise<void> {
    const now = new Date(this.clock.now());
    const removed = await removeService(this.database, serviceId, now, () => this.keys.changed());
    if (!removed) throw notFound('service');
  }

  #checkZone({ zone }: z.output<typeof ChangeService>): void {
    if (zone !== undefined && !this.rules.has(zone)) throw invalidMember('/zone', UNKNOWN_ZONE);
  }
}
