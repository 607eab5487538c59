// /v1/projects: operators read projects, admins change them; stop.controller.ts stops them. A foreign serviceId is answered like an unknown one.
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { Database } from '../../../platform/database/database.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { pageOf, pageQuery, pageSchema, readCursor, type Page } from '../../../platform/http/paging.js';
import { notFound, Problem } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { CLOCK } from '../../../platform/injection-tokens.js';
import { NOT_CALLED } from '../../push-client/blocks/not-called-problem.js';
import { ProjectStore } from '../../store/project.store.js';
import { listProjects, ProjectView, viewProject } from './project-write.store.js';
import type { CallerIdentity } from '../auth/caller.js';
import { Caller } from '../auth/caller.decorator.js';
import { Roles } from '../auth/roles.js';
import { ChangeProject } from './change-project.js';
import { stopCounts, StopCounts } from './stop-counts.store.js';
import { CheckGateway, GatewayReport } from './check-gateway.js';
import {
  projectWarnings,
  createProjectBody,
  keyBody,
  patchProjectBody,
  type CreateProjectBody,
  type KeyBody,
  type PatchProjectBody,
} from './project-body.js';

const listQuery = z.object(pageQuery);
const idParam = storableText(128);
const place = z.tuple([storableText(128)]);

const ProjectAnswer = ProjectView.extend({
  warnings: listOf(z.string()).describe(
    'What somebody should know about it; none of these keeps it from working',
  ),
}).meta({ id: 'Project' });
type ProjectAnswer = z.output<typeof ProjectAnswer>;
const WholeProject = ProjectAnswer.extend({
  stopped: StopCounts.nullable().describe(
    'While it is stopped: what is held back, and what is still delivered',
  ),
}).meta({ id: 'ProjectWithStop' });
type WholeProject = z.output<typeof WholeProject>;
const ProjectPage = pageSchema(ProjectAnswer);
const shown = (view: ProjectView): ProjectAnswer => ({ ...view, warnings: projectWarnings(view) });

@Controller('v1/projects')
@Roles('admin')
export class ProjectsController {
  // oxlint-disable-next-line max-params -- injected dependencies, each under its own name
  constructor(
    private readonly database: Database,
    private readonly change: ChangeProject,
    private readonly gateway: CheckGateway,
    private readonly projects: ProjectStore,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Operation(ProjectPage, { summary: 'Push projects' })
  @Get()
  @Roles('operator')
  async list(
    @Query({ schema: listQuery }) query: z.output<typeof listQuery>,
    @Caller() caller: CallerIdentity,
  ): Promise<Page<ProjectAnswer>> {
    const [after] = readCursor(query.cursor, place) ?? [];
    const filter = { held: caller.serviceFilter, after, limit: query.limit + 1, now: this.#now() };
    const rows = await listProjects(this.database, filter);
    return pageOf(rows, query.limit, (row) => [row.serviceId], shown);
  }

  @Operation(WholeProject, { summary: 'A push project' })
  @Get(':id')
  @Roles('operator')
  async get(
    @Param('id', { schema: idParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<WholeProject> {
    const project = shown(caller.own(await viewProject(this.database, id, this.#now()), 'project'));
    const counts = project.blocked?.code === 'STOPPED' ? await stopCounts(this.database, [id]) : undefined;
    return { ...project, stopped: counts?.get(id) ?? null };
  }

  @Operation(ProjectAnswer, {
    summary: 'Makes a push project',
    refusals: { 403: ['SERVICE_NOT_HELD', 'ALL_SERVICES_NEEDED'], 409: ['PROJECT_EXISTS'] },
  })
  @Post()
  async create(
    @Body({ schema: createProjectBody }) body: CreateProjectBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ProjectAnswer> {
    if (!caller.holds(body.serviceId)) {
      throw new Problem(403, 'SERVICE_NOT_HELD', 'the token does not hold this serviceId');
    }
    mayAddress(caller);
    mayNameTopic(body, caller);
    return shown(await this.change.create(body, caller.who));
  }

  @Operation(ProjectAnswer, {
    summary: 'Changes settings of a push project',
    refusals: { 403: ['ALL_SERVICES_NEEDED', 'BEYOND_BOUNDS'] },
  })
  @Patch(':id')
  async patch(
    @Param('id', { schema: idParam }) id: string,
    @Body({ schema: patchProjectBody }) body: PatchProjectBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ProjectAnswer> {
    const serviceId = this.#held(id, caller);
    if (body.baseUrl !== undefined || body.bounds !== undefined) mayAddress(caller);
    mayNameTopic(body, caller);
    return shown(await this.change.patch(serviceId, body, caller.who, caller.holdsEverything));
  }

  /** A new key is tried first and the former first one second, so that a rotation costs no send. */
  @Operation(ProjectAnswer, { summary: 'Gives a project a key, which is tried first' })
  @Post(':id/keys')
  async addKey(
    @Param('id', { schema: idParam }) id: string,
    @Body({ schema: keyBody }) body: KeyBody,
    @Caller() caller: CallerIdentity,
  ): Promise<ProjectAnswer> {
    return shown(await this.change.addKey(this.#held(id, caller), body, caller.who));
  }

  /** Ends a rotation: the gateway no longer takes the key. */
  @Operation(ProjectAnswer, { summary: 'Removes a key', refusals: { 409: ['LAST_KEY'] } })
  @Delete(':id/keys/:accessKey')
  async removeKey(
    @Param('id', { schema: idParam }) id: string,
    @Param('accessKey', { schema: storableText(200) }) accessKey: string,
    @Caller() caller: CallerIdentity,
  ): Promise<ProjectAnswer> {
    return shown(await this.change.removeKey(this.#held(id, caller), accessKey, caller.who));
  }

  /** Asks the gateway with the project's keys; sends nothing. */
  @Operation(GatewayReport, {
    summary: 'Checks whether its gateway can be used',
    refusals: NOT_CALLED,
  })
  @Post(':id/check')
  @HttpCode(200)
  @Roles('operator')
  async checkGateway(
    @Param('id', { schema: idParam }) id: string,
    @Caller() caller: CallerIdentity,
  ): Promise<GatewayReport> {
    this.projects.forget();
    return this.gateway.check(caller.own(await this.projects.get(id), 'project'));
  }

  #held(id: string, caller: CallerIdentity): string {
    if (!caller.holds(id)) throw notFound('project');
    return id;
  }

  #now(): Date {
    return new Date(this.clock.now());
  }
}

/** An address decides where requests and signatures go, and bounds decide what is left to other services: both concern all services. */
function mayAddress(caller: CallerIdentity): void {
  if (caller.holdsEverything) return;
  throw new Problem(403, 'ALL_SERVICES_NEEDED', 'only a token for all services may set a baseUrl, or bounds');
}

/** The topic belongs to the broker, not to the service: Carillon writes to it with its own rights. Any admin may remove it. */
function mayNameTopic({ rejectionsTopic }: PatchProjectBody, caller: CallerIdentity): void {
  if (caller.holdsEverything || typeof rejectionsTopic !== 'string') return;
  throw new Problem(403, 'ALL_SERVICES_NEEDED', 'only a token for all services may set a rejectionsTopic');
}
