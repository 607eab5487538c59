// What an alert was and cost, in one line to paste into a report or a chat. Instants are ISO 8601, so that every reader has them on any clock.
import type { Alert } from '../../api/alerts.ts';
import type { Texts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { lengthText } from '../../parts/time/length-text.ts';

export function costLine(alert: Alert, now: number, text: Texts): string {
  const { serviceId, cause, since, endedAt, worst, unit, acknowledged } = alert;
  const length = lengthText((endedAt === null ? now : Date.parse(endedAt)) - Date.parse(since), text);
  const span =
    endedAt === null
      ? text('alerts.line.open', { since, length })
      : text('alerts.line.ended', { since, until: endedAt, length });
  const parts = [
    `${serviceId ?? text('overview.installation')} ${cause}`,
    span,
    worst === null ? undefined : text('alerts.line.worst', { worst: `${wholeText(worst)} ${unit}` }),
    acknowledged === null ? undefined : text('overview.takenUp', { who: acknowledged.by }),
  ];
  return parts.filter((part) => part !== undefined).join(text('list.separator'));
}
