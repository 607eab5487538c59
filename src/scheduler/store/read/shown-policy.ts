// A policy in the form in which events give it (campaign-events.md, "policy"), so that a plan shows the rules it was made by,
// whether they came from the event, the project or the defaults. Pure.
import { formatTime, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../zone-rules/civil.js';
import type { CalendarDuration } from '../../decide/timing/duration.js';
import type { Policy } from '../../decide/timing/campaign-policy.js';
import type { PolicyData } from '../policy-data.js';

/** Every member with its value; one that is not set is null or empty. */
export function shownPolicy(policy: Policy): PolicyData {
  const { quietHours, passedZone, lateness, split } = policy;
  return {
    dst: policy.dst,
    night: policy.night,
    quietHours: quietHours && {
      start: formatTime(quietHours.startMinute * MINUTE_MS),
      end: formatTime(quietHours.endMinute * MINUTE_MS),
      action: quietHours.action,
    },
    passedZone: passedZone.kind === 'floor' ? `floor:${passedZone.zone}` : passedZone.kind,
    deadline: durationText(policy.deadline),
    // oxlint-disable-next-line unicorn/no-thenable -- the contract's word; no promise ever meets this object
    lateness: { max: durationText({ months: 0, days: 0, ms: lateness.maxMs }), then: lateness.beyond },
    handoff: policy.handoff,
    pace: policy.pace,
    jitter: policy.jitterMs === 0 ? null : durationText({ months: 0, days: 0, ms: policy.jitterMs }),
    split: (['deviceType', 'country'] as const).filter((dimension) => split[dimension]),
    approval: policy.approval,
    testTo: [...policy.testTo],
  };
}

/** `P1D`, `PT30M`. Hours are not turned into days, because a day may have 23 hours. */
function durationText({ months, days, ms }: CalendarDuration): string {
  const part = (value: number, unit: string): string => (value === 0 ? '' : `${value}${unit}`);
  const minutes = Math.floor(ms / MINUTE_MS) % 60;
  const exact = `${part(Math.floor(ms / HOUR_MS), 'H')}${part(minutes, 'M')}${part((ms % MINUTE_MS) / SECOND_MS, 'S')}`;
  const text = `P${part(months, 'M')}${part(days, 'D')}${exact === '' ? '' : `T${exact}`}`;
  return text === 'P' ? 'PT0S' : text;
}
