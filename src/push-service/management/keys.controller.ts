// push-interface.md §5: an account's access keys (at most two; enable, disable, delete) and a service's API keys (primary,
// secondary).
import type { AccessKeyRow, ApiKeyRow, IssuedKey } from './management-answers.js';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Put } from '@nestjs/common';
import { z } from 'zod';
import { Database } from '../../platform/database/database.js';
import { notFound } from '../../platform/http/problem.js';
import { AccessKeys } from './access-keys.js';
import { requireFound } from './require-found.js';
import {
  accountExists,
  activateApiKey,
  deleteAccessKey,
  deleteApiKey,
  enableAccessKey,
  findService,
  listAccessKeys,
  listApiKeys,
} from './management.store.js';

const Enable = z.strictObject({ enabled: z.boolean() });
const Activate = z.strictObject({ active: z.boolean() });
const Slot = z.enum(['primary', 'secondary']);
type Slot = z.output<typeof Slot>;

@Controller('v1')
export class KeysController {
  constructor(
    private readonly database: Database,
    private readonly keys: AccessKeys,
  ) {}

  @Post('accounts/:accountId/access-keys')
  async issue(@Param('accountId') accountId: string): Promise<IssuedKey> {
    if (!(await accountExists(this.database, accountId))) throw notFound('account');
    return this.keys.issue(accountId);
  }

  @Get('accounts/:accountId/access-keys')
  async list(@Param('accountId') accountId: string): Promise<AccessKeyRow[]> {
    if (!(await accountExists(this.database, accountId))) throw notFound('account');
    return listAccessKeys(this.database, accountId);
  }

  @Patch('access-keys/:accessKey')
  async enable(
    @Param('accessKey') accessKey: string,
    @Body({ schema: Enable }) { enabled }: z.output<typeof Enable>,
  ): Promise<AccessKeyRow> {
    const row = requireFound(await enableAccessKey(this.database, accessKey, enabled), 'access key');
    this.keys.changed();
    return row;
  }

  @Delete('access-keys/:accessKey')
  @HttpCode(204)
  async delete(@Param('accessKey') accessKey: string): Promise<void> {
    if (!(await deleteAccessKey(this.database, accessKey))) throw notFound('access key');
    this.keys.changed();
  }

  @Get('services/:serviceId/api-keys')
  async listApiKeys(@Param('serviceId') serviceId: string): Promise<ApiKeyRow[]> {
    requireFound(await findService(this.database, serviceId), 'service');
    return listApiKeys(this.database, serviceId);
  }

  /** Makes the key of the slot, or replaces it. Only this answer shows it. */
  @Put('services/:serviceId/api-keys/:slot')
  async putApiKey(
    @Param('serviceId') serviceId: string,
    @Param('slot', { schema: Slot }) slot: Slot,
  ): Promise<{ slot: Slot; apiKey: string }> {
    requireFound(await findService(this.database, serviceId), 'service');
    return { slot, apiKey: await this.keys.issueApiKey(serviceId, slot) };
  }

  @Patch('services/:serviceId/api-keys/:slot')
  async activate(
    @Param('serviceId') serviceId: string,
    @Param('slot', { schema: Slot }) slot: Slot,
    @Body({ schema: Activate }) { active }: z.output<typeof Activate>,
  ): Promise<ApiKeyRow> {
    const row = requireFound(await activateApiKey(this.database, serviceId, slot, active), 'API key');
    this.keys.changed();
    return row;
  }

  @Delete('services/:serviceId/api-keys/:slot')
  @HttpCode(204)
  async deleteApiKey(
    @Param('serviceId') serviceId: string,
    @Param('slot', { schema: Slot }) slot: Slot,
  ): Promise<void> {
    if (!(await deleteApiKey(this.database, serviceId, slot))) throw notFound('API key');
    this.keys.changed();
  }
}
