// The metrics of the push service (metrics.md, "The push service"): messages, devices and provider answers of this process, and
// how long due work has waited in the database, for all processes. Only counts: never a user, token or key.
import type { Metric } from 'prom-client';
import type { Clock } from '../platform/clock.js';
import type { Sql } from '../platform/database/database.js';
import { goingDays } from '../platform/database/day-partitions.js';
import { counter, gauge, readCounter } from '../platform/metric.js';
import { readTroubled } from './credentials/credential-health.js';
import { READY_QUEUES } from './delivery/chunk.store.js';
import type { CredentialRef, Outcome } from './delivery/provider-port.js';
import type { NewMessage } from './messages/message.store.js';
import type { Providers } from './delivery/providers.js';
import { stuckDays } from './retention/retention.store.js';

/** What this process counts. */
export class PushMetrics {
  /** Of the interface and of management. */
  readonly refused = counter(
    'carillon_push_authentication_refused_total{reason}',
    'Requests whose caller was refused, by reason',
  );
  readonly #taken = counter(
    'carillon_push_messages_taken_total{service,kind}',
    'Messages taken by this process',
  );
  readonly #lost = counter(
    'carillon_push_answers_lost_total',
    'Devices that count as unknown, because the process that handed them over fell silent and this process took over',
  );
  readonly #devices = new Tally();
  readonly #answers = new Tally();
  readonly all: readonly Metric[] = [
    this.refused,
    this.#taken,
    this.#lost,
    readCounter(
      'carillon_push_devices_total{provider,outcome}',
      'What became of devices that this process handed over; retry and credential: they go again',
      () => this.#devices.counts('provider', 'outcome'),
    ),
    readCounter(
      'carillon_push_provider_answers_total{provider,code}',
      'Answers of a provider for a device, by code',
      () => this.#answers.counts('provider', 'code'),
    ),
  ];

  /** A message that was not taken before. */
  countMessage({ serviceId: service, kind }: Pick<NewMessage, 'serviceId' | 'kind'>): void {
    this.#taken.inc({ service, kind });
  }

  /** Counts a provider's answer for a device: OK where the provider took it, else the reason. */
  countAnswer({ kind: provider }: CredentialRef, outcome: Outcome): void {
    this.#devices.add(provider, outcome.kind);
    this.#answers.add(provider, outcome.kind === 'sent' ? 'OK' : outcome.reason);
  }

  /** Counts devices whose answers were lost with the process that handed them over. */
  countLost(devices: number): void {
    if (devices > 0) this.#lost.inc(devices);
  }
}

/**
 * A counter with two labels that runs for each device. That of prom-client takes 0.3 µs and makes strings; this takes a tenth and
 * makes none.
 */
class Tally {
  readonly #counts = new Map<string, Map<string, number>>();

  add(one: string, other: string): void {
    const counts = this.#counts.get(one) ?? new Map<string, number>();
    if (counts.size === 0) this.#counts.set(one, counts);
    counts.set(other, (counts.get(other) ?? 0) + 1);
  }

  counts(first: string, second: string) {
    return [...this.#counts].flatMap(([one, counts]) =>
      [...counts].map(([other, count]) => [count, { [first]: one, [second]: other }] as const),
    );
  }
}

export const queueMetrics = (sql: Sql, clock: Pick<Clock, 'now'>): Metric[] => [
  gauge(
    'carillon_push_queue_age_seconds{stage}',
    'How long the oldest due work of a stage has waited: to be fired, expanded into devices, or handed over; 0: nothing waits',
    async () => {
      const rows = await sql.query<{ stage: string; seconds: number }>(QUEUE_AGE, [new Date(clock.now())]);
      return rows.map(({ stage, seconds }) => [Math.max(0, seconds), { stage }] as const);
    },
  ),
];

/** `outcomesFrom`: days of outcomes that ended by then should be dropped. */
export const dayMetrics = (sql: Sql, outcomesFrom: () => Date): Metric[] => [
  gauge(
    'carillon_push_days_stuck',
    'Days of outcomes that should be dropped, and wait for a firing that is not complete or not summed up',
    async () => (await stuckDays(sql, outcomesFrom())).days,
  ),
  gauge(
    'carillon_push_days_going',
    'Partitions that are detached from their tables, and not dropped yet because somebody may still read them',
    async () => (await goingDays(sql)).length,
  ),
];

export const credentialMetrics = (sql: Sql, clock: Clock): Metric[] => [
  gauge(
    'carillon_push_credential_refused{service,kind}',
    '1 for a credential that its provider refuses: its devices wait, and then fail',
    async () =>
      (await readTroubled(sql, clock)).flatMap(({ serviceId: service, kind, fault }) =>
        fault === null ? [] : [[1, { service, kind }] as const],
      ),
  ),
];

export function providerMetrics({ fcm, apns }: Providers): Metric[] {
  const ofEach = (name: 'window' | 'open' | 'paused', help: string): Metric =>
    gauge(`carillon_push_provider_${name}{provider}`, help, () => [
      [fcm.load[name], { provider: 'fcm' }],
      [apns.load[name], { provider: 'apns' }],
    ]);
  return [
    ofEach('window', 'Requests that this process may have open at a provider, of all credentials together'),
    ofEach('open', 'Requests that this process has open at a provider'),
    ofEach(
      'paused',
      'Credentials under which this process pauses: their provider said so, or cannot be reached',
    ),
  ];
}

/** Indexes message_due, firing_ready and, once for each queue, fan_out_chunk_oldest. Reads only rows that wait. */
const QUEUE_AGE = `${READY_QUEUES}
  select stage, coalesce(extract(epoch from $1::timestamptz - due_at), 0)::float8 as seconds from (values
    ('fire', (select fire_at from message where state = 'READY' and fire_at <= $1 order by fire_at limit 1)),
    ('expand', (select due_at from firing where state = 'READY' order by id limit 1)),
    ('deliver', (select due_at from firing where id = (select min(first.firing_id) from queue q cross join lateral (
       select firing_id from fan_out_chunk c
       where c.state = 'READY' and c.service_id = q.service_id and c.device_type = q.device_type
       order by firing_id, chunk_no limit 1) first)))
  ) as waiting(stage, due_at)`;
