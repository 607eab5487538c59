// The campaigns of each shape as events on the topic: users of their own, one request for so many of them.
import type { Message } from 'kafkajs';
import { v7 } from 'uuid';
import { EVENT_TYPES } from '../../src/scheduler/accept/parse/campaign-event.js';
import { REQUEST } from '../dispatch/same-call.js';
import { SERVICE } from '../dispatch/settings.js';

export interface Shape {
  readonly name: string;
  /** Ids in one send: the project's maxTo. */
  readonly idsEach: number;
  readonly sendsEach: number;
  /** At most so many bytes a send. */
  readonly walBytes: number;
  readonly keptBytes: number;
}

export const SHAPES: readonly Shape[] = [
  { name: 'one', idsEach: 1, sendsEach: 1_000, walBytes: 3_600, keptBytes: 800 },
  { name: 'hundred', idsEach: 100, sendsEach: 100, walBytes: 6_600, keptBytes: 1_000 },
  { name: 'thousand', idsEach: 1_000, sendsEach: 10, walBytes: 24_000, keptBytes: 2_000 },
  { name: 'four', idsEach: 1, sendsEach: 4, walBytes: 3_600, keptBytes: 800 },
];

export function wordsOf({ idsEach, sendsEach }: Shape): string {
  return `USER of ${idsEach === 1 ? 'one id' : `${idsEach} ids`}, ${sendsEach} sends a campaign`;
}

export const SOURCE = '/bench/life';

export interface Load {
  readonly messages: readonly Message[];
  readonly campaigns: number;
  readonly sends: number;
}

/** Whole campaigns for at least so many sends; their ids begin with `prefix`. */
export function loadOf({ idsEach, sendsEach }: Shape, sends: number, prefix: string): Load {
  const campaigns = Math.ceil(sends / sendsEach);
  const messages = Array.from({ length: campaigns }, (_, campaign) => {
    const subject = `${prefix}-${campaign}`;
    const to = Array.from({ length: idsEach * sendsEach }, (_unused, user) => `u-${campaign}-${user}`);
    const event = {
      specversion: '1.0',
      id: v7(),
      source: SOURCE,
      type: EVENT_TYPES.scheduled,
      subject,
      time: new Date().toISOString(),
      datacontenttype: 'application/json',
      data: {
        serviceId: SERVICE,
        audience: { type: 'USER', to },
        ...REQUEST,
        delivery: { now: true },
      },
    };
    return { key: `${SERVICE}/${subject}`, value: JSON.stringify(event) };
  });
  return { messages, campaigns, sends: campaigns * sendsEach };
}
