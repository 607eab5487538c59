// A reading in which all is well; a test changes what it is about.
import type { ProjectReading } from '../../../src/scheduler/alerts/readings/project-readings.store.js';
import type { Reading } from '../../../src/scheduler/alerts/readings/readings.js';

export const idleProject: ProjectReading = {
  serviceId: 'shop-app',
  blockedCode: null,
  blockedDetail: null,
  blockedUntil: null,
  blockedSince: null,
  blockedBy: null,
  troubles: [],
  dueNextHour: 0,
  overdue: 0,
  overdueSince: null,
  uncertain: 0,
  uncertainSince: null,
  failed: 0,
  failedSince: null,
  failedLast: null,
  failedLately: 0,
  reserved: 0,
  nextReserved: null,
};

export const wellReading = (): Reading => ({
  at: Date.parse('2027-03-01T10:00:00.000Z'),
  projects: [idleProject],
  lateOfHour: [],
  lateLately: [],
  outbox: { waiting: 0, oldestAt: null },
  cursors: [{ consumer: 'rollup', oldestAt: null }],
  rejections: [],
  replicas: { live: 1, unheard: 0, clockOffMs: 3 },
  withoutCredential: [],
  ledger: { differing: 0, missing: 0, detail: '' },
  forecast: { projects: [] },
  kafka: null,
  daysAhead: 7,
  daysUntilFull: null,
  zoneRules: { version: '2027a', yearsBehind: 0 },
});
