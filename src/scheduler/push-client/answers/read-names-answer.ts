// Reads the answers to GET channels and GET schedules, which list names that contain a text: whether one name is there, or all of
// them. Pure; has a result for every answer: one that is not clear is a failure, and so is that of a gateway without such a list.
import { z } from 'zod';
import { PAGE_SIZE } from '../../../push-contract/limits.js';
import { jsonOf } from '../../../push-contract/read-error.js';
import type { GatewayName } from '../../decide/audience/gateway-names.js';
import type { PushAnswer } from '../push-api.js';

const text = z.string().nullish().catch(null);
const Channels = z.array(z.object({ channelName: z.string(), channelDesc: text }));
const Schedules = z.object({
  content: z.array(z.object({ scheduleCode: z.string(), scheduleDesc: text })),
});

export interface ListedName {
  readonly name: string;
  readonly description: string | null;
}

/** `more`: the name is not on this page, and there may be another page. */
export type NamesAnswer = 'known' | 'unknown' | 'more' | 'failed';

export function readNamesAnswer(answer: PushAnswer, { kind, name }: GatewayName): NamesAnswer {
  const page = readNamesPage(answer, kind);
  if (page === undefined) return 'failed';
  if (page.items.some((one) => one.name === name)) return 'known';
  return page.hasMore ? 'more' : 'unknown';
}

/** One page of names; `hasMore`: there may be another. undefined: the answer is none of such a list. */
export function readNamesPage(
  answer: PushAnswer,
  kind: GatewayName['kind'],
): { readonly items: readonly ListedName[]; readonly hasMore: boolean } | undefined {
  if (answer.kind === 'unanswered' || answer.status !== 200) return undefined;
  const items = namesIn(jsonOf(answer.body), kind);
  return items && { items, hasMore: items.length >= PAGE_SIZE.max };
}

function namesIn(json: unknown, kind: GatewayName['kind']): ListedName[] | undefined {
  if (kind === 'channel') {
    return Channels.safeParse(json).data?.map(({ channelName: name, channelDesc = null }) => ({
      name,
      description: channelDesc,
    }));
  }
  return Schedules.safeParse(json).data?.content.map(({ scheduleCode: name, scheduleDesc = null }) => ({
    name,
    description: scheduleDesc,
  }));
}
