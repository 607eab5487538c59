// GET /v1/stream: server-sent events about what changed, for pages that show it. Each is a hint to read again; none is needed.
import { Controller, Get, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { BareOperation } from '../../../platform/http/operation.decorator.js';
import { Problem } from '../../../platform/http/problem.js';
import { storableText } from '../../../platform/http/storable-text.js';
import { AuthGuard, type GuardedRequest } from '../../admin/auth/auth.guard.js';
import { ROLES, type CallerIdentity, type Role } from '../../admin/auth/caller.js';
import { Caller } from '../../admin/auth/caller.decorator.js';
import { Roles } from '../../admin/auth/roles.js';
import type { Change } from '../../store/change.store.js';
import { ourCampaignId } from '../../store/read/our-ids.js';
import { MOST_STREAMS, OpenStreams } from './open-streams.js';

const streamQuery = z.object({
  campaign: ourCampaignId.optional().describe('Also `send` events, of this campaign'),
  lastEventId: storableText(100)
    .optional()
    .describe('As the header Last-Event-ID, for a browser that opens a new EventSource'),
});

/** Who sees an event, beside the rule of services. */
const ROLES_OF_EVENT: Readonly<Record<Change['event'], readonly Role[]>> = {
  campaign: ROLES,
  send: ROLES,
  attention: ROLES,
  project: ['operator'],
  set: ['operator'],
  alert: ['analyst'],
};

const LACKS = {
  token: [429, 'TOO_MANY_STREAMS', `a token has at most ${MOST_STREAMS.ofToken} streams in a process`],
  process: [503, 'STREAMS_BUSY', `a process has at most ${MOST_STREAMS.ofProcess} streams`],
  ended: [503, 'STREAMS_BUSY', 'this process ends'],
} as const;

@Controller('v1/stream')
@Roles(...ROLES)
export class StreamController {
  constructor(
    private readonly streams: OpenStreams,
    private readonly guard: AuthGuard,
  ) {}

  /** Lasts until either side closes it, or the token or session is no longer good. */
  @BareOperation({
    summary: 'What changes, as server-sent events',
    otherMedia: ['text/event-stream'],
    refusals: { 429: ['TOO_MANY_STREAMS'], 503: ['STREAMS_BUSY'] },
  })
  @Get()
  open(
    @Query({ schema: streamQuery }) { campaign, lastEventId }: z.output<typeof streamQuery>,
    @Caller() caller: CallerIdentity,
    @Req() request: GuardedRequest,
    @Res() reply: FastifyReply,
  ): void {
    const lack = this.streams.lackFor(caller.tokenId);
    if (lack !== undefined) {
      const [status, code, text] = LACKS[lack];
      throw new Problem(status, code, `${text}: read without it for now`, { retryAfterSeconds: 30 });
    }
    const given = request.headers['last-event-id'];
    reply.hijack();
    const { raw } = reply;
    raw.writeHead(200, {
      ...(reply.getHeaders() as Record<string, string>),
      'content-type': 'text/event-stream; charset=utf-8',
      // A proxy that gathers answers would hold events back.
      'x-accel-buffering': 'no',
    });
    raw.flushHeaders();
    this.streams.add(raw, {
      tokenId: caller.tokenId,
      key: JSON.stringify([caller.roles, caller.serviceIds, campaign]),
      sees: seenBy(caller, campaign),
      lastId: typeof given === 'string' && given !== '' ? given : lastEventId,
      mayGoOn: async () => (await this.guard.identify(request)) !== undefined,
    });
  }
}

function seenBy(caller: CallerIdentity, campaign: string | undefined): (change: Change) => boolean {
  return ({ event, serviceId, subject }) => {
    if (event === 'send' && subject !== campaign) return false;
    if (!caller.may(ROLES_OF_EVENT[event])) return false;
    // An alert without a service concerns the whole installation.
    return serviceId === null ? caller.holdsEverything || event === 'alert' : caller.holds(serviceId);
  };
}
