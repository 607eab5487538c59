// Every migration of the push service's schema, oldest first. Listed by hand: a glob would load .ts files natively.
import type { MigrationInterface } from 'typeorm';
import { Accounts1763700100001 } from './1763700100001-accounts.js';
import { Users1763700100002 } from './1763700100002-users.js';
import { Messages1763700100003 } from './1763700100003-messages.js';
import { FanOut1763700100004 } from './1763700100004-fan-out.js';
import { HotInserts1763700100005 } from './1763700100005-hot-inserts.js';
import { FanOutInRuns1763700100006 } from './1763700100006-fan-out-in-runs.js';
import { Retention1763700100007 } from './1763700100007-retention.js';

export const pushServiceMigrations: readonly (new () => MigrationInterface)[] = [
  Accounts1763700100001,
  Users1763700100002,
  Messages1763700100003,
  FanOut1763700100004,
  HotInserts1763700100005,
  FanOutInRuns1763700100006,
  Retention1763700100007,
];
