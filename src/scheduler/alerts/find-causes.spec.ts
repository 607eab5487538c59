import { expect, it } from 'vitest';
import { z } from 'zod';
import { alertLimits, alertSettings } from './alert-settings.js';
import { CAUSE_CODES, CAUSES } from './cause.js';
import { findCauses } from './find-causes.js';
import { idleProject, wellReading } from '../../../test/support/operations/a-reading.js';
import type { ProjectReading } from './readings/project-readings.store.js';
import type { Reading } from './readings/readings.js';

const limits = alertLimits(z.object(alertSettings).parse({}));
const { at } = wellReading();
const ago = (ms: number): Date => new Date(at - ms);
const project = (facts: Partial<ProjectReading>): Partial<Reading> => ({
  projects: [{ ...idleProject, ...facts }],
});
const trouble = (code: string) => ({
  troubles: [{ code, detail: 'why', processes: 2, since: ago(60_000).toISOString() }],
});
const blocked = (blockedCode: string, lastsMs = Infinity): Partial<ProjectReading> => ({
  blockedCode,
  blockedSince: ago(0),
  blockedUntil: Number.isFinite(lastsMs) ? ago(-lastsMs) : null,
});

it('finds nothing where all is well', () => {
  expect(findCauses(wellReading(), limits)).toEqual([]);
});

it.each<readonly [what: string, reading: Partial<Reading>, found: readonly string[]]>([
  ['nine failures', project({ failedLately: 9 }), []],
  ['ten failures', project({ failedLately: 10 }), ['FAILURES shop-app 10']],
  ['a send uncertain just now', project({ uncertain: 1, uncertainSince: ago(599_000) }), []],
  [
    'a send uncertain for ten minutes',
    project({ uncertain: 1, uncertainSince: ago(600_000) }),
    ['UNCERTAIN shop-app 600'],
  ],
  ['a send a minute overdue', project({ overdue: 1, overdueSince: ago(60_000) }), ['LATE shop-app 60']],
  ['a send 59 s overdue', project({ overdue: 1, overdueSince: ago(59_000) }), []],
  [
    'one in a hundred late',
    { ...project({}), lateLately: [{ serviceId: 'shop-app', sends: 100, p99Ms: 61_000 }] },
    ['LATE shop-app 61'],
  ],
  [
    'overdue sends of a stopped project',
    project({ ...blocked('STOPPED'), overdue: 7, overdueSince: ago(90_000) }),
    ['STOPPED shop-app 7'],
  ],
  [
    'overdue sends behind an open circuit',
    project({ ...trouble('CIRCUIT_OPEN'), overdue: 7, overdueSince: ago(90_000) }),
    ['CIRCUIT shop-app 2'],
  ],
  ['a spent quota', project(blocked('QUOTA_EXCEEDED', 900_000)), ['QUOTA shop-app 0']],
  ['a refused key', project(blocked('BAD_KEY')), ['KEY_REFUSED shop-app 0']],
  ['no key', project(blocked('NO_KEY', 60_000)), ['KEY_REFUSED shop-app 0']],
  ['a key that one process cannot open', project(trouble('KEY_UNREADABLE')), ['KEY_REFUSED shop-app 2']],
  ['a block of a second', project(blocked('THROTTLE_LIMITED', 1_000)), []],
  ['a block of a minute', project(blocked('THROTTLE_LIMITED', 60_000)), ['BLOCKED shop-app 0']],
  ['a block until somebody acts', project(blocked('BAD_ADDRESS')), ['BLOCKED shop-app 0']],
  [
    'short blocks for a minute',
    project({ ...blocked('THROTTLE_LIMITED', 1_000), blockedSince: ago(59_000) }),
    ['BLOCKED shop-app 0'],
  ],
  [
    'a gateway that is silent',
    project({ troubles: [...trouble('CIRCUIT_OPEN').troubles, ...trouble('GATEWAY_UNREACHABLE').troubles] }),
    ['GATEWAY_UNREACHABLE shop-app 2'],
  ],
  [
    'devices without a provider key',
    { ...project({}), withoutCredential: [{ serviceId: 'shop-app', devices: 3 }] },
    ['CREDENTIAL_MISSING shop-app 3'],
  ],
  [
    'requests that will be too late',
    { forecast: { projects: [{ serviceId: 'shop-app', requests: 7, byMs: 90_000, campaigns: 2 }] } },
    ['DEADLINE_AHEAD shop-app 7'],
  ],
  [
    'a ledger that misses rows',
    { ledger: { differing: 1, missing: 2, detail: 'planned: 5 are 3' } },
    ['LEDGER_OUT_OF_BALANCE - 3'],
  ],
  ['a corrected clock', project(trouble('CLOCK_CORRECTED')), ['CLOCK shop-app 2']],
  [
    'rejections of a project and of nobody',
    {
      ...project({}),
      rejections: [
        { serviceId: 'shop-app', open: 10 },
        { serviceId: null, open: 4 },
        { serviceId: 'no-such-project', open: 6 },
      ],
    },
    ['REJECTIONS shop-app 10', 'REJECTIONS - 10'],
  ],
  ['one day ahead', { daysAhead: 1 }, ['DAYS_AHEAD - 1']],
  ['a disk that is soon full', { daysUntilFull: 13 }, ['DISK - 13']],
  ['a disk of unknown size', { daysUntilFull: null }, []],
  ['a clock that is off', { replicas: { live: 1, unheard: 0, clockOffMs: 1_000 } }, ['CLOCK - 1000']],
  ['a silent process', { replicas: { live: 1, unheard: 1, clockOffMs: null } }, ['REPLICA_UNHEARD - 1']],
  ['an old dead letter', { outbox: { waiting: 3, oldestAt: ago(300_000) } }, ['BACKLOG - 300']],
  [
    'outcomes that nobody sums up',
    { cursors: [{ consumer: 'rollup', oldestAt: ago(400_000) }] },
    ['BACKLOG - 400'],
  ],
  ['a long lag of Kafka', { kafka: [{ topic: 't', partition: 0, records: 100_000 }] }, ['BACKLOG - 0']],
  ['old zone rules', { zoneRules: { version: '2026a', yearsBehind: 1 } }, ['ZONE_RULES_OLD - 1']],
])('of %s finds what is there, and no more', (_, reading, found) => {
  expect(
    findCauses({ ...wellReading(), ...reading }, limits).map(
      ({ cause, serviceId, figure }) => `${cause} ${serviceId ?? '-'} ${figure}`,
    ),
  ).toEqual(found);
});

it('has a default for the setting of every cause that has one', () => {
  const settings = CAUSE_CODES.flatMap((code) => CAUSES[code].setting ?? []);
  expect(settings.filter((name) => !(name in alertSettings))).toEqual([]);
});
