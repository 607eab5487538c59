// From when on causes count: the settings ALERT_…, which .env.example lists.
import { z } from 'zod';
import { wholeNumber as whole } from '../../platform/env.js';

/** By name. Each comment: meaning, unit, default, bounds. */
export const alertSettings = {
  /** FAILURES: sends that failed in 15 minutes: 1 to 1 000 000 [10]. */
  ALERT_FAILURES: whole(1, 1_000_000).prefault('10'),
  /** UNCERTAIN: how long a send is uncertain, seconds: 1 to 604 800 [600]. Before that most are settled without a person. */
  ALERT_UNCERTAIN_SECONDS: whole(1, 604_800).prefault('600'),
  /** LATE: how late the oldest, or one in a hundred, may leave, seconds: 1 to 86 400 [60]. */
  ALERT_LATE_SECONDS: whole(1, 86_400).prefault('60'),
  /** BLOCKED: how long a block lasts or will last, seconds: 1 to 86 400 [60]. A gateway that throttles blocks for a second. */
  ALERT_BLOCKED_SECONDS: whole(1, 86_400).prefault('60'),
  /** REJECTIONS: open rejections of 15 minutes: 1 to 1 000 000 [10]. */
  ALERT_REJECTIONS: whole(1, 1_000_000).prefault('10'),
  /** DAYS_AHEAD: with fewer days ahead it counts: 1 to 7 [2]. */
  ALERT_DAYS_AHEAD: whole(1, 7).prefault('2'),
  /** DISK: with fewer days until the disk is full it counts: 1 to 365 [14]. Needs DATABASE_DISK_GB. */
  ALERT_DISK_DAYS: whole(1, 365).prefault('14'),
  /** CLOCK: how far a clock may be off, ms: 100 to 600 000 [1000]. */
  ALERT_CLOCK_MS: whole(100, 600_000).prefault('1000'),
  /** BACKLOG: how long something may wait, seconds: 10 to 86 400 [300]. */
  ALERT_BACKLOG_SECONDS: whole(10, 86_400).prefault('300'),
  /** BACKLOG: records of Kafka that may wait: 1 to 1 000 000 000 [100000]. */
  ALERT_KAFKA_LAG: whole(1, 1_000_000_000).prefault('100000'),
  /** CREDENTIAL_MISSING: devices of 15 minutes: 1 to 1 000 000 [1]. */
  ALERT_CREDENTIAL_DEVICES: whole(1, 1_000_000).prefault('1'),
  /** DEADLINE_AHEAD: requests of a project that will miss a bound: 1 to 1 000 000 [1]. */
  ALERT_DEADLINE_REQUESTS: whole(1, 1_000_000).prefault('1'),
  /** DEADLINE_AHEAD: how far ahead it looks, hours: 1 to 168 [24]. */
  ALERT_DEADLINE_HOURS: whole(1, 168).prefault('24'),
  /** LEDGER_OUT_OF_BALANCE: rows that are missing and lines that do not balance: 1 to 1 000 000 [1]. */
  ALERT_LEDGER_ROWS: whole(1, 1_000_000).prefault('1'),
  /** LEDGER_OUT_OF_BALANCE: events and campaigns of the last hours that are counted: 1 to 168 [24]. */
  ALERT_LEDGER_HOURS: whole(1, 168).prefault('24'),
  /** ZONE_RULES_OLD: calendar years since the release: 1 to 10 [1]. */
  ALERT_ZONE_RULES_YEARS: whole(1, 10).prefault('1'),
  /** How long a cause has to be gone before its alert ends, seconds: 10 to 3600 [120]. */
  ALERT_QUIET_SECONDS: whole(10, 3_600).prefault('120'),
};

const alertEnvironment = z.object(alertSettings);

export const alertLimits = (read: z.output<typeof alertEnvironment>) => ({
  failures: read.ALERT_FAILURES,
  uncertainMs: read.ALERT_UNCERTAIN_SECONDS * 1_000,
  lateMs: read.ALERT_LATE_SECONDS * 1_000,
  blockedMs: read.ALERT_BLOCKED_SECONDS * 1_000,
  rejections: read.ALERT_REJECTIONS,
  daysAhead: read.ALERT_DAYS_AHEAD,
  diskDays: read.ALERT_DISK_DAYS,
  clockMs: read.ALERT_CLOCK_MS,
  backlogMs: read.ALERT_BACKLOG_SECONDS * 1_000,
  kafkaLag: read.ALERT_KAFKA_LAG,
  credentialDevices: read.ALERT_CREDENTIAL_DEVICES,
  deadlineRequests: read.ALERT_DEADLINE_REQUESTS,
  deadlineMs: read.ALERT_DEADLINE_HOURS * 3_600_000,
  ledgerRows: read.ALERT_LEDGER_ROWS,
  ledgerMs: read.ALERT_LEDGER_HOURS * 3_600_000,
  zoneRulesYears: read.ALERT_ZONE_RULES_YEARS,
  quietMs: read.ALERT_QUIET_SECONDS * 1_000,
});
export type AlertLimits = Readonly<ReturnType<typeof alertLimits>>;
