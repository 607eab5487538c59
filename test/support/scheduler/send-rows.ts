// What a dispatcher and a follower write of a send, where a spec names only what matters.
import type { RecordedAnswer } from '../../../src/scheduler/store/send/answer.store.js';
import type { FireOrder } from '../../../src/scheduler/store/send/fire.store.js';
import type { PollRow } from '../../../src/scheduler/store/send/poll.store.js';
import { NOTHING_SEEN } from '../../../src/scheduler/follow/judge-poll.js';
import { START } from './world.js';

/** The order of the first attempt, unless `attempts` were made. */
export const orderOf = (id: string, attempts = 0): FireOrder => ({
  id,
  revision: 1,
  attempts,
  mode: 'immediate',
  modeRule: 'DUE_NOW',
  dueAt: START,
  at: START,
});

/** Taken. */
export const answerOf = (id: string, attempt = 1): RecordedAnswer => ({
  id,
  attempt,
  state: 'accepted',
  code: null,
  detail: null,
  answeredAt: START,
  requestId: 'r-1',
  gatewayStatus: 'success',
  nextAt: START,
  requestSent: true,
  httpStatus: 202,
  errorCode: null,
  answer: null,
  outcome: 'taken',
});

/** Sent. */
export const pollOf = (id: string, more: Partial<PollRow> = {}): PollRow => ({
  ...NOTHING_SEEN,
  id,
  changes: 1,
  pollsBefore: 0,
  from: 'accepted',
  to: 'sent',
  code: '200',
  detail: null,
  at: START,
  nextAt: null,
  polls: 0,
  ...more,
});
