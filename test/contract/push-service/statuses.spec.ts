// Every status that the interface lists for an operation is reached, and none besides: push-interface.md §4 per operation,
// push-interface.md §7 for the gateway. The client of these specs refuses a foreign status wherever it comes; here none may be
// missing.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONFLICTING, furnish, RIGHT, UNREADABLE } from './support/calls.js';
import { exchange, type Answer, type Client } from './support/client.js';
import { foreignStatus, INTERFACE, type Operation } from './support/interface.js';
import { openStage, refusal, type Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => (stage = await openStage()));
afterAll(() => stage.close());

/** What the sandbox can be made to answer in the place of the operation, by push-interface.md §7. */
const FAULTS = [
  ['unexpected', 500, '900', 'Unexpected Error'],
  ['endpointError', 503, '500', 'Endpoint Error'],
  ['endpointTimeout', 504, '510', 'Endpoint Timeout'],
  ['rateLimited', 429, '420', 'Rate Limited'],
  ['throttleLimited', 429, '410', 'Throttle Limited'],
  ['quotaExceeded', 429, '400', 'Quota Exceeded'],
] as const;

/** More than any limit, declared and never sent. */
const TOO_LARGE = { headers: { 'content-length': '99999999999', connection: 'close' } };

function callOf(calls: typeof RIGHT, { name }: Operation): (typeof RIGHT)[string] {
  const call = calls[name];
  if (call === undefined) throw new Error(`no call of ${name}`);
  return call;
}

const named = INTERFACE.map((operation) => [`${operation.section} ${operation.name}`, operation] as const);

describe.each(named)('%s', (_, operation) => {
  it(`answers each of ${operation.success}, ${operation.refusals.join(', ')}, and nothing else`, async () => {
    const project = await stage.project();
    const at = await furnish(project);
    const right = callOf(RIGHT, operation);
    const seen = new Set<number>();
    const see = (answer: Answer, expected: unknown): void => {
      seen.add(answer.status);
      expect(answer.status < 300 ? [answer.status] : refusal(answer).slice(0, 2)).toEqual(expected);
    };

    for (const [error, status, code, text] of FAULTS) {
      // A fault names both ways of adding a user alike.
      const faulty = operation.name === 'addChannelUserByPost' ? 'addChannelUser' : operation.name;
      const { serviceId } = project;
      await stage.management.addFault({
        kind: 'error',
        operation: faulty,
        error,
        count: 1,
        serviceId,
        retryAfterSeconds: 7,
      });
      const answer = await right(at);
      see(answer, [status, code]);
      expect(refusal(answer)[2]).toBe(text);
      expect(answer.headers['retry-after']).toBe(status === 429 || status === 503 ? '7' : undefined);
    }
    see(await callOf(UNREADABLE, operation)(at), [400, '100']);
    see(await right(at, TOO_LARGE), [413, '430']);
    const stranger = Object.assign(Object.create(project) as Client, {
      keys: { ...project.keys, secretKey: 'wrong' },
    });
    see(await right({ ...at, client: stranger }), [401, '200']);
    if (operation.refusals.includes(409)) see(await callOf(CONFLICTING, operation)(at), [409, '409']);
    see(await right(at), [operation.success]);
    const service = `/v1/services/${encodeURIComponent(project.serviceId)}`;
    await stage.management.ask('PATCH', service, { suspended: true });
    see(await right(at), [403, '210']);
    await stage.management.ask('DELETE', service);
    see(await right(at), [404, '300']);

    expect([...seen].toSorted((a, b) => a - b)).toEqual([operation.success, ...operation.refusals]);
  });
});

describe('the table of statuses', () => {
  it('distinguishes a foreign status from a listed one, by the name of the operation', () => {
    const path = '/push/v2/services/s';
    expect(foreignStatus('POST', `${path}/channels`, 409)).toBeUndefined();
    expect(foreignStatus('PUT', `${path}/channels`, 409)).toMatch(/^§4\.2 updateChannels answered 409/);
    expect(foreignStatus('GET', `${path}/channels?pageSize=1`, 204)).toMatch(/^§4\.2 listChannels/);
    expect(foreignStatus('GET', `${path}/timezones`, 200)).toBeUndefined();
    expect(foreignStatus('PATCH', `${path}/channels`, 405)).toMatch(/^§7 no operation answered 405/);
  });

  it('is the OpenAPI document’s, operation by operation', async () => {
    const answer = await exchange(stage.target.managementUrl, 'GET', '/openapi/push.json', {});
    const { paths } = answer.json() as { paths: Record<string, Record<string, Described>> };
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(
        ([method, { operationId, responses }]) =>
          [
            `${operationId}: ${method.toUpperCase()} ${path.replace('/push/v2/services/{serviceId}/', '')}`,
            Object.keys(responses).map(Number),
          ] as const,
      ),
    );
    const listed = INTERFACE.map(
      ({ name, method, path, success, refusals }) =>
        [`${name}: ${method} ${path}`, [success, ...refusals].toSorted((a, b) => a - b)] as const,
    );
    expect(new Map(described)).toEqual(new Map(listed));
  });
});

interface Described {
  readonly operationId: string;
  readonly responses: Record<string, unknown>;
}
