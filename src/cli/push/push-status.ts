// carillon-push status: whether the push service can do its work, by the checks of its health.
import { z } from 'zod';
import { messageOf } from '../../platform/logging/error-code.js';
import { callApi, refusalOf, type ApiAnswer } from '../shell/call-api.js';
import { managementApi } from '../shell/management-client.js';
import { print, type JsonOption } from '../shell/output.js';

const Ready = z.looseObject({
  ready: z.boolean(),
  checks: z.array(
    z.looseObject({ name: z.string(), ok: z.boolean(), note: z.boolean().optional(), text: z.string() }),
  ),
});

const NOT_REACHABLE = 2;

export async function printPushStatus(options: JsonOption): Promise<void> {
  const api = managementApi();
  const answer = await callApi(api, 'GET', '/health/ready').catch((error: unknown): ApiAnswer | undefined => {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exitCode = NOT_REACHABLE;
    return undefined;
  });
  if (answer === undefined) return;
  const read = Ready.safeParse(answer.json);
  if (!read.success) {
    // Without the right token it says no reasons.
    if (answer.status === 200 || answer.status === 503)
      throw new Error(
        'the push service does not take MANAGEMENT_TOKEN: it is the one that it was started with',
      );
    throw refusalOf(api, answer);
  }
  const { ready, checks } = read.data;
  const wrong = checks.filter(({ ok }) => !ok);
  const lines = [
    wrong.length === 0 ? 'All is well' : ready ? 'It works, and something needs you' : 'It cannot work',
    ...wrong.map(({ name, note, text }) => `${note === true ? 'NB' : 'NO'}  ${name}: ${text}`),
  ];
  print(options, read.data, lines.join('\n'));
  if (wrong.length > 0) process.exitCode = 1;
}
