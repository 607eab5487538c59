// What a webhook is told. Nothing in it was written by a gateway or a publisher, so it never names a user. Pure.
import { instantText } from '../../../platform/instant.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { AlertRow } from '../alert.store.js';
import { causeOf, runbookOf } from '../cause.js';
import type { TakenChange } from './webhook-message.store.js';

export function changesBody(changes: readonly TakenChange[], at: EpochMs): string {
  const of = (what: TakenChange['what']): object[] =>
    changes.filter((change) => change.what === what).map(({ alert }) => toldOf(alert));
  const data = { began: of('began'), ended: of('ended') };
  return JSON.stringify({ type: 'alerts.changed', timestamp: instantText(at), data });
}

export const testBody = (at: EpochMs): string =>
  JSON.stringify({ type: 'test', timestamp: instantText(at), data: { text: 'a test of this webhook' } });

function toldOf({ id, cause, serviceId, since, endedAt, figure, worst }: AlertRow): object {
  const { severity, unit, text, nextStep } = causeOf(cause);
  return {
    id,
    cause,
    severity,
    serviceId,
    since: instantText(since.getTime()),
    endedAt: endedAt === null ? null : instantText(endedAt.getTime()),
    figure,
    worst,
    unit,
    text,
    nextStep,
    runbook: runbookOf(cause),
  };
}
