// PATCH /v1/campaigns/{id}: a revision by people, who change some members and not the whole event. By publishers of its services.
import { Controller, HttpCode, Param, Patch, Query, Req } from '@nestjs/common';
import { z } from 'zod';
import { mediaType } from '../../../platform/http/streamed-bodies.js';
import { Operation } from '../../../platform/http/operation.decorator.js';
import { Problem, type FoundProblem } from '../../../platform/http/problem.js';
import { Budgets } from '../../admin/auth/budgets.js';
import type { CallerIdentity } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import { ourCampaignId, revisionNumber } from '../../store/read/our-ids.js';
import { isObject, readJson } from '../parse/read-json.js';
import { CampaignPatched, PatchCampaign } from './patch-campaign.js';

export const MERGE_PATCH = 'application/merge-patch+json';

const patchQuery = z.object({
  preview: z.enum(['true', 'false']).default('false').describe('true: only count what the revision would do'),
  revision: revisionNumber
    .optional()
    .describe(
      'The newest revision that you saw: where another one came meanwhile, it is a 409. Left out: the newest is patched',
    ),
});

const MergePatch = z
  .looseObject({})
  .describe(
    'A JSON merge patch (RFC 7396) of the data of a scheduled event: members in it take the place of the campaign’s, null takes one away',
  )
  .meta({ id: 'CampaignPatch', examples: [{ message: { default: { content: 'Our sale begins at ten' } } }] });

interface PatchRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly rawBody?: Buffer;
}

@Controller('v1/campaigns')
@Roles('publisher')
export class PatchController {
  constructor(
    private readonly patches: PatchCampaign,
    private readonly budgets: Budgets,
  ) {}

  /** The revision is planned whole, compared with the one in force, and takes its place. */
  @Operation(CampaignPatched, {
    summary: 'Changes members of a campaign: its next revision',
    body: { [MERGE_PATCH]: MergePatch },
    refusals: {
      400: ['NOT_A_MERGE_PATCH'],
      409: ['CAMPAIGN_CLOSED', 'REVISION_CHANGED'],
      422: ['EVENT_REJECTED'],
      503: ['INTAKE_BUSY'],
    },
  })
  @Patch(':id')
  @HttpCode(202)
  // oxlint-disable-next-line max-params -- one for each part of the request
  async patch(
    @Param('id', { schema: ourCampaignId }) campaign: string,
    @Query({ schema: patchQuery }) { preview, revision: saw }: z.output<typeof patchQuery>,
    @Req() request: PatchRequest,
    @Caller() caller: CallerIdentity,
  ): Promise<CampaignPatched> {
    this.budgets.takeEvents(caller, request.rawBody?.length ?? 0);
    const order = { campaign, patch: patchIn(request), saw, caller };
    return preview === 'true' ? this.patches.preview(order) : this.patches.run(order);
  }
}

/** Throws a Problem where the body is no patch of a campaign. */
function patchIn(request: PatchRequest): Readonly<Record<string, unknown>> {
  const { rawBody } = request;
  if (rawBody === undefined || mediaType(request) !== MERGE_PATCH)
    throw new Problem(
      415,
      'UNSUPPORTED_MEDIA_TYPE',
      `a patch is ${MERGE_PATCH} (RFC 7396): give it as the content-type`,
    );
  const { value, problems } = readJson(rawBody, '');
  if (problems.length > 0) throw notAPatch(problems);
  if (!isObject(value)) {
    const text = 'a patch is a JSON object, such as {"name":"Spring sale"}';
    throw notAPatch([{ pointer: '', code: 'WRONG_TYPE', text }]);
  }
  const fixed = ['serviceId', 'campaignId'].filter((member) => member in value);
  if (fixed.length === 0) return value;
  const text = 'cannot be changed: cancel the campaign, and publish it under the other id';
  throw notAPatch(fixed.map((member) => ({ pointer: `/${member}`, code: 'FIXED', text })));
}

function notAPatch(problems: readonly FoundProblem[]): Problem {
  const [first] = problems;
  const why = first === undefined ? '' : `: ${first.pointer} ${first.text}`.replace(':  ', ': ');
  return new Problem(400, 'NOT_A_MERGE_PATCH', `this is no patch of a campaign${why}`, { problems });
}
