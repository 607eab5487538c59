// GET /v1/status: whether all is well, and if not, what to do. Its cost does not depend on how many ask.
import { Controller, Get } from '@nestjs/common';
import { Operation } from '../../../platform/http/operation.decorator.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { ReadStatus } from './read-status.js';
import { Status } from './status.js';

@Controller('v1/status')
@Roles('analyst')
export class StatusController {
  constructor(private readonly status: ReadStatus) {}

  /** At most two seconds old. */
  @Operation(Status, { summary: 'Whether all is well, and what needs a person' })
  @Get()
  async read(@Caller() caller: CallerIdentity): Promise<Status> {
    return this.status.for(caller);
  }
}
