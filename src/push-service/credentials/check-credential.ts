// Asks a provider whether it accepts a credential, and keeps the answer. Reaches no device. Apple blocks a sender of many refused
// tokens, so all processes together ask APNs once a minute for each credential.
import { Problem, notFound } from '../../platform/http/problem.js';
import type { Database } from '../../platform/database/database.js';
import { LATE, within } from '../../platform/with-timeout.js';
import type { CredentialReport } from '../delivery/provider-port.js';
import type { CredentialRow } from '../management/management-answers.js';
import type { Providers } from '../delivery/providers.js';
import {
  credentialChanged,
  listCredentials,
  recordCheck,
  takeCheck,
  type CheckTurn,
  type CredentialKind,
} from './credential.store.js';

/** Seconds between two checks. */
const REST_SECONDS: Readonly<Record<CredentialKind, number>> = { fcm: 0, apns: 60 };

/** The longest time that the caller waits, real milliseconds. */
const ANSWER_MS = 15_000;

const NO_ANSWER: CredentialReport = {
  good: false,
  says: 'The provider did not answer within 15 s: try again.',
};

/** APNs checks the topic only for a push to a real device. So a check calls a credential good that was refused for its topic. */
function withUnseen(report: CredentialReport, { fault }: CheckTurn): CredentialReport {
  if (!report.good || fault !== 'DeviceTokenNotForTopic') return report;
  const says = `${report.says} But a push was refused (${fault}): its device runs another app than the topic names.`;
  return { good: false, says };
}

/**
 * Returns the credential with the report of the check, or with the last report if it is too early for a check. Throws 404 if
 * there is no such credential, and 429 while another process checks it.
 */
export async function checkCredential(
  { database, providers }: { readonly database: Database; readonly providers: Providers },
  serviceId: string,
  kind: CredentialKind,
): Promise<CredentialRow> {
  const restSeconds = REST_SECONDS[kind];
  const turn = await takeCheck(database, serviceId, kind, restSeconds);
  if (turn !== undefined) {
    const { id, version } = turn;
    const report = await within(providers[kind].check({ id, version, kind }), ANSWER_MS);
    const found = report === LATE ? NO_ANSWER : withUnseen(report, turn);
    await database.transaction(async (sql) => {
      if (await recordCheck(sql, turn, found)) await credentialChanged(sql, { serviceId, kind });
    });
  }
  const row = (await listCredentials(database, serviceId)).find((one) => one.kind === kind);
  if (row === undefined) throw notFound('credential');
  if (row.checkGood === null)
    throw new Problem(429, 'CHECKED_ELSEWHERE', 'another process checks it: ask again in a minute', {
      retryAfterSeconds: Math.max(1, restSeconds),
    });
  return row;
}
