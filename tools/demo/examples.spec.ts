// The examples come to the end written beside them at whatever moment the demo is run: planned here as the scheduler does, each
// quarter of an hour of days in winter and summer, and of those on which a clock of theirs is moved.
import { join } from 'node:path';
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { ScheduledData } from '../../src/scheduler/accept/parse/campaign-event.js';
import { toCampaign } from '../../src/scheduler/accept/parse/to-campaign.js';
import { policyDefaults } from '../../src/scheduler/decide/timing/campaign-policy.js';
import { aPlan, aProject, cellsOf, iso } from '../../test/support/planning/planning.js';
import { projectRoot } from '../project.js';
import { loadAudience, loadExamples, Moment, type Example } from './examples.js';

const MINUTE_MS = 60_000;
const Schedule = z.object({ scheduleTimeZone: z.string(), dayOfWeeks: z.array(z.string()) });
/** What publishing may take in the worst second of a minute, beside the 20 s of the demo's minReserveLead. */
const PLANNED_AFTER_MS = 15_000;
const project = aProject({ minReserveLeadMs: 20_000 });

/** zone → what becomes of it: its mode, and how late it is for a demo that looks on; or why nothing is sent. */
function endsOf({ event }: Example, began: number): Record<string, string> {
  const now = iso(began + PLANNED_AFTER_MS);
  const plan = aPlan(toCampaign(event.subject, ScheduledData.parse(event.data), policyDefaults), now, {
    project,
  });
  return Object.fromEntries(
    cellsOf(plan).map(({ zone, dueAt, mode, skipped, expired }) => {
      if (skipped !== undefined) return [zone, skipped];
      if (expired !== undefined) return [zone, 'expired'];
      return [zone, dueAt - began <= 2 * MINUTE_MS ? mode : `${mode} at ${iso(dueAt)}`];
    }),
  );
}

it.each([
  ['winter', '2027-01-15'],
  ['summer', '2027-07-15'],
  ['a leap day', '2028-02-29'],
  ['the last of a year', '2027-12-31'],
  ['Paris goes forward', '2027-03-28'],
  ['Paris goes back', '2027-10-31'],
  ['Auckland goes back', '2027-04-03'],
  ['Auckland goes forward', '2027-09-25'],
])('come to their ends at any time of the day: %s', (_, date) => {
  const midnight = Date.parse(`${date}T00:00:00Z`);
  const reserved = { 'Asia/Seoul': 'reserved' };
  for (let quarter = 0; quarter < 96; quarter += 1) {
    // In no other second of a minute is the reservable one as near.
    const now = midnight + quarter * 15 * MINUTE_MS + 24_999;
    const found = loadExamples(join(projectRoot, 'examples'), new Moment(now)).map((example) => [
      example.name.slice(0, 2),
      endsOf(example, now),
    ]);
    expect(Object.fromEntries(found), iso(now)).toEqual({
      '01': { 'Asia/Seoul': 'immediate' },
      '02': reserved,
      '03': { 'Asia/Seoul': 'scheduled' },
      '04': { 'Asia/Seoul': 'reserved', 'Asia/Tokyo': 'reserved', 'Pacific/Auckland': 'PASSED_ZONE' },
      '05': { 'Asia/Seoul': 'immediate' },
      '06': reserved,
      '07': { 'Europe/Paris': 'reserved' },
    });
  }
});

it('a message under the schedule is fired by the demo alone: of itself the schedule fires days later', () => {
  const monday = Date.parse('2027-01-11T00:00:00Z');
  for (let hour = 0; hour < 7 * 24; hour += 1) {
    const now = monday + hour * 60 * MINUTE_MS;
    const [shop] = loadAudience(join(projectRoot, 'examples'), new Moment(now));
    const { scheduleTimeZone, dayOfWeeks } = Schedule.parse(shop?.schedules[0]);
    const days = [-1, 0, 1].map((day) =>
      DateTime.fromMillis(now, { zone: scheduleTimeZone })
        .plus({ days: day })
        .toFormat('ccc', { locale: 'en' })
        .toUpperCase(),
    );
    expect(dayOfWeeks).toEqual([expect.stringMatching(/^(MON|TUE|WED|THU|FRI|SAT|SUN)$/)]);
    expect(days, iso(now)).not.toContain(dayOfWeeks[0]);
  }
});
