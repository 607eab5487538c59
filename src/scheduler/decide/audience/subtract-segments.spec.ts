// What segments leave of the campaign's own audience: nobody is lost, and nobody is reached twice without a warning, over every own
// audience × segment × kind of recipient that differ in anything except names.
import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellsOf,
  channel,
  everybody,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Audience, Segment } from '../plan/campaign.js';
import { noFacts, type Plan, type PlannedCell, type PlanningProject } from '../plan/plan-types.js';

const now = '2027-02-01T00:00Z';

function planned(own: Audience, segments: Audience[], project: Partial<PlanningProject> = {}): Plan {
  const at = segments.map((audience): Segment => ({ zone: 'America/Denver', audience }));
  const delivery = { kind: 'recipient', local: '2027-03-01T09:00', segments: at } as const;
  const offsets = [{ offsetSeconds: 32_400, users: 7 }];
  return aPlan(aCampaign(delivery, { audience: own }), now, {
    audience: { ...noFacts, offsets },
    project: aProject(project),
  });
}

/** `zone channels countries` of every cell. */
const shown = (plan: Plan): string[] =>
  cellsOf(plan).map(({ zone, target: { to, country } }) =>
    [zone, (to ?? []).join('+'), (country ?? []).join('+')].filter(Boolean).join(' '),
  );
const all = (...country: string[]): Audience => ({ ...everybody, country });
const channels = (names: string, ...country: string[]): Audience => ({
  ...channel('', ...country),
  type: 'CHANNEL',
  to: names.split('+'),
});
const onDevice = (audience: Audience, deviceType: 'GCM' | 'APNS'): Audience => ({ ...audience, deviceType });
const ids = (...country: string[]): Audience => ({ ...users('anna'), country });

describe('segments beside an own audience (planning.md §2)', () => {
  const refused = ['SEGMENTS_OVERLAP'];
  const cases: [what: string, own: Audience, segments: Audience[], cells: string[]][] = [
    [
      'another channel takes nothing',
      channels('a', 'KR', 'JP'),
      [channels('b', 'KR')],
      ['America/Denver b KR', 'Asia/Seoul a KR', 'Asia/Tokyo a JP'],
    ],
    [
      'the same channel takes its country',
      channels('a', 'KR', 'JP'),
      [channels('a', 'KR')],
      ['America/Denver a KR', 'Asia/Tokyo a JP'],
    ],
    [
      'of several channels the one that is named',
      channels('a+b', 'KR', 'JP'),
      [channels('b+c', 'KR')],
      ['America/Denver b+c KR', 'Asia/Seoul a KR', 'Asia/Tokyo a+b JP'],
    ],
    [
      'two segments take two channels of a country: nobody is left there',
      channels('a+b', 'KR', 'JP'),
      [channels('a', 'KR'), channels('b', 'KR')],
      ['America/Denver a KR', 'America/Denver b KR', 'Asia/Tokyo a+b JP'],
    ],
    [
      'everybody of a country takes every channel there',
      channels('a', 'KR', 'JP'),
      [all('KR')],
      ['America/Denver KR', 'Asia/Tokyo a JP'],
    ],
    [
      'everybody of a country, of everybody',
      all('KR', 'JP'),
      [all('KR')],
      ['America/Denver KR', 'Asia/Tokyo JP'],
    ],
    ['all of it is taken', all('KR'), [all('KR')], ['America/Denver KR']],
    [
      'countries that do not meet',
      all('JP'),
      [channels('a', 'KR')],
      ['America/Denver a KR', 'Asia/Tokyo JP'],
    ],
    ['a channel is not all of a country', all('KR', 'JP'), [channels('a', 'KR')], refused],
    ['ids are not all of a country', all('KR', 'JP'), [ids('KR')], refused],
    ['ids are not all of a channel', channels('a', 'KR'), [ids('KR')], refused],
    ['ids beside everybody of their country', ids('KR'), [all('KR')], refused],
    ['ids beside a channel of their country', ids('KR'), [channels('a', 'KR')], refused],
    ['one kind of device is not all of a country', all('KR', 'JP'), [onDevice(all('KR'), 'GCM')], refused],
    [
      'every kind of device is',
      onDevice(all('KR', 'JP'), 'GCM'),
      [all('KR')],
      ['America/Denver KR', 'Asia/Tokyo JP'],
    ],
    ['a segment of every country leaves nobody', all('KR'), [all()], refused],
    ['an own audience of every country cannot leave one out', all(), [all('KR')], refused],
    [
      'another channel of every country takes nothing',
      channels('a'),
      [channels('b')],
      ['America/Denver b', 'Asia/Seoul a'],
    ],
  ];
  it.each(cases)('%s', (_what, own, segments, cells) => {
    const plan = planned(own, segments);
    expect(plan.refusal === undefined ? shown(plan) : [plan.refusal.code]).toEqual(cells);
  });

  it('where remainders of it differ in channels, an offset and the fallback have a cell for each country', () => {
    const extensions = ['target-timezone'];
    const own = channels('a+b', 'KR', 'JP', 'FR');
    const byOffset = planned(own, [channels('b', 'KR')], { extensions });
    expect(cellsOf(byOffset).map(({ key }) => key)).toEqual([
      'America/Denver|given|1|all|all',
      'UTC+09:00|registered-offset|0|all|KR',
      'UTC+09:00|registered-offset|0|all|JP',
      'UTC+09:00|registered-offset|0|all|FR',
    ]);
    expect(shown(byOffset)[1]).toBe('UTC+09:00 a KR');
    const whole = planned(own, [channels('c', 'KR')], { extensions });
    expect(shown(whole)).toEqual(['America/Denver c KR', 'UTC+09:00 a+b KR+JP+FR']);
    expect(shown(planned(channels('a+b', 'US', 'ZZ', 'KR'), [channels('b', 'US')])).slice(1)).toEqual([
      'Asia/Seoul a US',
      'Asia/Seoul a+b KR',
      'Asia/Seoul a+b ZZ',
    ]);
  });

  it('warns of two channels that may share users, and not of one that was taken from', () => {
    const codes = (plan: Plan): string[] => plan.warnings.map(({ code }) => code);
    expect(codes(planned(channels('a', 'KR', 'JP'), [channels('b', 'KR')]))).toEqual([
      'CHANNELS_MAY_SHARE_USERS',
    ]);
    expect(codes(planned(channels('a', 'KR', 'JP'), [channels('a', 'KR')]))).toEqual([]);
  });
});

interface Person {
  readonly channels: string[];
  readonly country: string;
  readonly deviceType: 'GCM' | 'APNS';
}
const lists = (...of: string[]): string[][] => [[], ...of.map((one) => [one]), of];
const people = lists('a', 'b').flatMap((inChannels) =>
  ['KR', 'JP', 'FR'].flatMap((country) =>
    (['GCM', 'APNS'] as const).map((deviceType): Person => ({ channels: inChannels, country, deviceType })),
  ),
);
const audiences = lists('KR', 'JP').flatMap((country) =>
  (['GCM', null] as const).flatMap((deviceType) => [
    { ...all(...country), deviceType },
    ...['a', 'b', 'a+b'].map((names): Audience => ({ ...channels(names, ...country), deviceType })),
  ]),
);

function reaches(target: PlannedCell['target'] | Audience, person: Person): boolean {
  const to = 'to' in target ? (target.to ?? undefined) : undefined;
  const country = target.country ?? [];
  const deviceType = target.deviceType ?? null;
  return (
    (to === undefined || to.some((name) => person.channels.includes(name))) &&
    (country.length === 0 || country.includes(person.country)) &&
    (deviceType === null || deviceType === person.deviceType)
  );
}

describe.each([[[]], [['target-timezone']]])('over all audiences, with extensions %j', (extensions) => {
  it('whoever an audience or a segment holds gets it, and twice only where the plan warned', () => {
    const wrong: string[] = [];
    let looked = 0;
    for (const own of audiences) {
      for (const segment of audiences) {
        const plan = planned(own, [segment], { extensions });
        if (plan.refusal !== undefined) continue;
        looked += 1;
        const warned = plan.warnings.some(({ code }) => code === 'CHANNELS_MAY_SHARE_USERS');
        const cells = cellsOf(plan);
        for (const person of people) {
          const wanted = reaches(own, person) || reaches(segment, person);
          const times = cells.filter(({ target }) => reaches(target, person)).length;
          const good = wanted ? times === 1 || (warned && times === 2) : times === 0;
          if (!good) wrong.push(JSON.stringify({ own, segment, person, times }));
        }
      }
    }
    expect(wrong).toEqual([]);
    expect(looked).toBeGreaterThan(200);
  });
});
