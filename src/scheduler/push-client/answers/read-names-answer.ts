// Reads whether the answers to GET channels and GET schedules have a name: both list names that contain it. Pure; has a result for
// every answer: one that is not clear is a failure, and so is that of a gateway without such a list.
import { z } from 'zod';
import { PAGE_SIZE } from '../../../push-contract/limits.js';
import { jsonOf } from '../../../push-contract/read-error.js';
import type { GatewayName } from '../../decide/audience/gateway-names.js';
import type { PushAnswer } from '../push-api.js';

const Channels = z.array(z.object({ channelName: z.string() }));
const Schedules = z.object({ content: z.array(z.object({ scheduleCode: z.string() })) });

/** `more`: the name is not on this page, and there may be another page. */
export type NamesAnswer = 'known' | 'unknown' | 'more' | 'failed';

export function readNamesAnswer(answer: PushAnswer, { kind, name }: GatewayName): NamesAnswer {
  if (answer.kind === 'unanswered' || answer.status !== 200) return 'failed';
  const names = namesIn(jsonOf(answer.body), kind);
  if (names === undefined) return 'failed';
  if (names.includes(name)) return 'known';
  return names.length < PAGE_SIZE.max ? 'unknown' : 'more';
}

function namesIn(json: unknown, kind: GatewayName['kind']): string[] | undefined {
  if (kind === 'channel') return Channels.safeParse(json).data?.map(({ channelName }) => channelName);
  return Schedules.safeParse(json).data?.content.map(({ scheduleCode }) => scheduleCode);
}
