// The call that every contestant makes: the scheduler's own client, signing, request and reading of the answer, on a
// project held in memory. What is left to compare is what each does around it.
import { v7 } from 'uuid';
import { SystemClock } from '../../src/platform/clock.js';
import { Secret } from '../../src/platform/env.js';
import { readResult } from '../../src/scheduler/push-client/answers/read-result.js';
import { buildRequest } from '../../src/scheduler/dispatch/build-request.js';
import { readSendAnswer } from '../../src/scheduler/push-client/answers/read-send-answer.js';
import { UndiciPushApi, type PushProjects } from '../../src/scheduler/push-client/undici-push-api.js';
import { ACCESS_KEY, SECRET_KEY, SERVICE } from './settings.js';

type Project = NonNullable<Awaited<ReturnType<PushProjects['get']>>>;

export const REQUEST = { messageType: 'NOTIF', message: { default: { content: 'Hello from the bench' } } };

export interface SameCall {
  /** Returns the gateway's requestId; throws unless it took the send. */
  send(sendId?: string): Promise<string>;
  /** Throws unless the result is final. */
  result(requestId: string): Promise<void>;
  close(): Promise<void>;
}

export function sameCall(pushUrl: string): SameCall {
  const project = {
    serviceId: SERVICE,
    baseUrl: pushUrl,
    extensions: [],
    extensionsOff: [],
    keys: [{ accessKey: ACCESS_KEY, secretKey: new Secret(SECRET_KEY) }],
    apiKey: undefined,
    keyFault: undefined,
  } as unknown as Project;
  const get = (): Promise<Project> => Promise.resolve(project);
  const api = new UndiciPushApi({ get, fresh: get }, new SystemClock(), {
    connectTimeoutMs: 3_000,
    timeoutMs: 10_000,
  });
  return {
    send: async (sendId = v7()) => {
      const body = buildRequest({
        key: sendId,
        mode: 'immediate',
        dueAt: Date.now(),
        scheduleCode: null,
        request: REQUEST,
        target: { type: 'ALL' },
        recipients: null,
      });
      const call = await api.prepareSend({ serviceId: SERVICE, sendId, key: sendId, body, at: Date.now() });
      const outcome = readSendAnswer(await call(() => true), 'immediate');
      if (outcome.kind !== 'taken') throw new Error(`the stub did not take it: ${JSON.stringify(outcome)}`);
      return outcome.requestId;
    },
    result: async (requestId) => {
      const reading = readResult(await api.result(SERVICE, requestId));
      if (reading.kind !== 'final') throw new Error(`not final: ${JSON.stringify(reading)}`);
    },
    close: () => api.close(),
  };
}
