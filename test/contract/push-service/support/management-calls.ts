// One right call of every operation of the management API, in an order in which each finds what it needs. The names are
// those of its OpenAPI document: method and path.
import { apnsCredential, serviceAccount } from './credentials.js';
import type { Answer, Management } from './client.js';
import { finalResult, message, send } from './stage.js';

/** Leaves no fault and the machine's clock. Throws on any status but 2xx. */
export async function manageEverything(management: Management): Promise<ReadonlyMap<string, Answer>> {
  const answers = new Map<string, Answer>();
  const project = await management.newService({ quotaPerDay: 1_000, description: 'd' });
  await project.register({ userId: 'u' });
  await project.register({ userId: 'v', deviceToken: 'fail-v', deviceType: 'APNS' });
  const requestId = await send(project, message());
  await finalResult(project, requestId);
  const names = new Map([
    ['serviceId', encodeURIComponent(project.serviceId)],
    ['accountId', project.accountId],
    ['accessKey', project.keys.accessKey],
    ['slot', 'primary'],
    ['scheduleCode', 's'],
    ['requestId', requestId],
    ['userId', 'u'],
  ]);
  const call = async (method: string, path: string, body?: unknown, query = ''): Promise<Answer> => {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => names.get(name) ?? `no ${name}`);
    const answer = await management.ask(method, filled + query, body);
    answers.set(`${method} ${path}`, answer);
    return answer;
  };
  for (const path of ['/health/live', '/health/ready', '/openapi/push.json', '/openapi/management.json'])
    await call('GET', path);
  await call('POST', '/v1/services', {});
  await call('GET', '/v1/services');
  const service = '/v1/services/{serviceId}';
  await call('GET', service);
  await call('PATCH', service, { ratePerSecond: 100, rateBurst: 200 });
  await call('GET', `${service}/totals`, undefined, '?from=2027-03-01&to=2027-03-02');
  await call('GET', `${service}/messages`, undefined, '?limit=1');
  await call('GET', `${service}/messages/{requestId}`);
  await call('GET', `${service}/users/{userId}`);
  await call('GET', '/v1/accounts/{accountId}/access-keys');
  await call('POST', '/v1/accounts/{accountId}/access-keys');
  await call('PATCH', '/v1/access-keys/{accessKey}', { enabled: true });
  await call('PUT', `${service}/api-keys/{slot}`);
  await call('GET', `${service}/api-keys`);
  await call('PATCH', `${service}/api-keys/{slot}`, { active: false });
  await call('DELETE', `${service}/api-keys/{slot}`);
  await call('PUT', `${service}/credentials/apns`, apnsCredential());
  await call('PUT', `${service}/credentials/fcm`, { serviceAccount: serviceAccount() });
  await call('GET', `${service}/credentials`);
  names.set('kind', 'fcm');
  await call('POST', `${service}/credentials/{kind}/check`);
  await call('DELETE', `${service}/credentials/{kind}`);
  await call('POST', `${service}/schedules`, { scheduleCode: 's', scheduleTime: '09:00' });
  await call('GET', `${service}/schedules`);
  await call('GET', `${service}/schedules/{scheduleCode}`);
  await call('PUT', `${service}/schedules/{scheduleCode}`, { scheduleTime: '10:00', endDate: '2099-01-01' });
  const sandbox = '/v1/sandbox';
  await call('POST', `${sandbox}/services/{serviceId}/schedules/{scheduleCode}/fire`);
  await call('DELETE', `${service}/schedules/{scheduleCode}`);
  await call('GET', `${sandbox}/deliveries`, undefined, `?requestId=${requestId}`);
  await call('GET', `${sandbox}/services/{serviceId}/messages`);
  const fault = { kind: 'delay', ms: 1, operation: 'sendMessage', serviceId: project.serviceId, count: 1 };
  names.set('id', String((await call('POST', `${sandbox}/faults`, fault)).json()['id']));
  await call('GET', `${sandbox}/faults`);
  await call('DELETE', `${sandbox}/faults/{id}`);
  await call('DELETE', `${sandbox}/faults`);
  await call('PUT', `${sandbox}/clock`, { mode: 'real' });
  await call('GET', `${sandbox}/clock`);
  await call('DELETE', '/v1/access-keys/{accessKey}');
  await call('DELETE', service);
  return answers;
}
