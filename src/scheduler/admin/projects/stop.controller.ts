// Stop and start over HTTP, of one project and of all that the token holds. A foreign serviceId is answered like an unknown one.
import { Body, Controller, HttpCode, Param, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { notFound } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import type { CallerIdentity } from '../auth/caller.js';
import { Caller } from '../auth/caller.decorator.js';
import { Roles } from '../auth/roles.js';
import { StoppedProject, StopProject, type StopOrder } from './stop-project.js';

const idParam = storableText(128);
const stopQuery = z.object({
  preview: z.enum(['true', 'false']).default('false').describe('true: change nothing, only count'),
});
type StopQuery = z.output<typeof stopQuery>;

const reason = storableText(500).min(1).optional().describe('Shown to people');
/** A POST without a body is an empty one. */
const stopBody = z
  .strictObject({
    reason,
    recall: z
      .boolean()
      .default(false)
      .describe('Also ask the push service to give back what it holds: reservations and standing sends'),
  })
  .prefault({})
  .meta({ examples: [{ reason: 'wrong prices', recall: true }] });
type StopBody = z.output<typeof stopBody>;
const startBody = z
  .strictObject({ reason })
  .prefault({})
  .meta({ examples: [{ reason: 'prices are right' }] });
type StartBody = z.output<typeof startBody>;

const StoppedProjects = z
  .object({ projects: listOf(StoppedProject).describe('Those of the token, in order of serviceId') })
  .meta({ id: 'StoppedProjects' });
type StoppedProjects = z.output<typeof StoppedProjects>;

@Controller('v1')
@Roles('operator')
export class StopController {
  constructor(private readonly stopProject: StopProject) {}

  /**
   * Nothing is sent from the answer on. `held` does not leave; what `atPushService` counts is still delivered, unless it is recalled:
   * then the push service is asked for it, and what it gives back is held.
   */
  @Operation(StoppedProject, { summary: 'Stops a project: nothing is sent for it' })
  @Post('projects/:id/stop')
  @HttpCode(200)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async stop(
    @Param('id', { schema: idParam }) id: string,
    @Query({ schema: stopQuery }) query: StopQuery,
    @Body({ schema: stopBody }) body: StopBody,
    @Caller() caller: CallerIdentity,
  ): Promise<StoppedProject> {
    return this.#one(id, { act: 'stop', ...body, ...given(query, caller) }, caller);
  }

  /** What was recalled is planned again for its own due, but not what a pause holds; what is late follows its lateness. */
  @Operation(StoppedProject, { summary: 'Starts a project, and ends what blocks it' })
  @Post('projects/:id/start')
  @HttpCode(200)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async start(
    @Param('id', { schema: idParam }) id: string,
    @Query({ schema: stopQuery }) query: StopQuery,
    @Body({ schema: startBody }) body: StartBody,
    @Caller() caller: CallerIdentity,
  ): Promise<StoppedProject> {
    return this.#one(id, { act: 'start', recall: false, ...body, ...given(query, caller) }, caller);
  }

  /** All in one transaction, each as if it were stopped alone. */
  @Operation(StoppedProjects, { summary: 'Stops all projects that the token holds' })
  @Post('stop')
  @HttpCode(200)
  async stopAll(
    @Query({ schema: stopQuery }) query: StopQuery,
    @Body({ schema: stopBody }) body: StopBody,
    @Caller() caller: CallerIdentity,
  ): Promise<StoppedProjects> {
    return this.#all({ act: 'stop', ...body, ...given(query, caller) }, caller);
  }

  /** Also those that were stopped alone, or that something else blocks. */
  @Operation(StoppedProjects, { summary: 'Starts all projects that the token holds' })
  @Post('start')
  @HttpCode(200)
  async startAll(
    @Query({ schema: stopQuery }) query: StopQuery,
    @Body({ schema: startBody }) body: StartBody,
    @Caller() caller: CallerIdentity,
  ): Promise<StoppedProjects> {
    return this.#all({ act: 'start', recall: false, ...body, ...given(query, caller) }, caller);
  }

  async #one(id: string, order: Given, caller: CallerIdentity): Promise<StoppedProject> {
    const [one] = caller.holds(id) ? await this.stopProject.run({ ...order, serviceIds: [id] }) : [];
    if (one === undefined) throw notFound('project');
    return one;
  }

  async #all(order: Given, caller: CallerIdentity): Promise<StoppedProjects> {
    return { projects: await this.stopProject.run({ ...order, serviceIds: caller.serviceFilter }) };
  }
}

type Given = Omit<StopOrder, 'serviceIds'>;

const given = ({ preview }: StopQuery, { who }: CallerIdentity): Pick<Given, 'preview' | 'who'> => ({
  preview: preview === 'true',
  who,
});
