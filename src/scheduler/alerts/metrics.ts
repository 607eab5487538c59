// Metrics of what needs a person: open alerts, and what status shows, from a reading that it shares.
import type { Metric } from 'prom-client';
import type { Sql } from '../../platform/database/database.js';
import { gauge, sharedWhileAsking } from '../../platform/metric.js';
import { openAlerts } from './alert.store.js';
import { CAUSE_CODES, causeOf } from './cause.js';
import type { ProjectReading } from './readings/project-readings.store.js';
import type { Reading, Readings } from './readings/readings.js';

export function alertMetrics(sql: Sql, readings: Pick<Readings, 'now'>): Metric[] {
  const open = sharedWhileAsking(() => openAlerts(sql));
  return [
    gauge(
      'carillon_alerts_open{cause,severity}',
      'open alerts, by cause; 0 where there is none',
      async () => {
        const alerts = await open();
        return CAUSE_CODES.map((cause) => [
          alerts.filter((alert) => alert.cause === cause).length,
          { cause, severity: causeOf(cause).severity },
        ]);
      },
    ),
    ...projectMetrics(readings),
    ...backlogMetrics(readings),
  ];
}

type Values = readonly (readonly [value: number, labels: Readonly<Record<string, string>>])[];

const secondsSince = (at: Date | null, now: number): number =>
  at === null ? 0 : Math.max(0, (now - at.getTime()) / 1_000);

/** Of all processes together. Each process answers the same. */
function projectMetrics(readings: Pick<Readings, 'now'>): Metric[] {
  const ofEach = (values: (project: ProjectReading, at: number) => Values) => async (): Promise<Values> => {
    const { projects, at } = await readings.now();
    return projects.flatMap((project) => values(project, at));
  };
  return [
    gauge(
      'carillon_sends_attention{service,state}',
      'newest sends of unknown fate (uncertain), and that ended badly within seven days (failed); each stops at a bound',
      ofEach(({ serviceId: service, uncertain, failed }) => [
        [uncertain, { service, state: 'uncertain' }],
        [failed, { service, state: 'failed' }],
      ]),
    ),
    gauge(
      'carillon_sends_uncertain_seconds{service}',
      'seconds for which the oldest uncertain send has been so; 0: there is none',
      ofEach(({ serviceId: service, uncertainSince }, at) => [
        [secondsSince(uncertainSince, at), { service }],
      ]),
    ),
    gauge(
      'carillon_push_service_holds{service}',
      'reservations that the push service holds for a project; stops at a bound',
      ofEach(({ serviceId: service, reserved }) => [[reserved, { service }]]),
    ),
  ];
}

function backlogMetrics(readings: Pick<Readings, 'now'>): Metric[] {
  const read = (values: (reading: Reading) => Values | number) => async () => values(await readings.now());
  return [
    gauge(
      'carillon_kafka_lag_records{topic,partition}',
      'records of a partition that intake has not taken; none while the brokers do not answer',
      read(({ kafka }) =>
        (kafka ?? []).map(({ topic, partition, records }) => [
          records,
          { topic, partition: String(partition) },
        ]),
      ),
    ),
    gauge(
      'carillon_outbox_seconds',
      'seconds for which the oldest dead letter has waited for Kafka; 0: there is none',
      read(({ outbox, at }) => secondsSince(outbox.oldestAt, at)),
    ),
    gauge(
      'carillon_outcomes_behind_seconds{consumer}',
      'age of the oldest outcome that a consumer of the log has not taken: publish, rollup, stream',
      read(({ cursors, at }) =>
        cursors.map(({ consumer, oldestAt }) => [secondsSince(oldestAt, at), { consumer }]),
      ),
    ),
    gauge(
      'carillon_replicas_unheard',
      'processes that dispatch and fell silent without taking their leave',
      read(({ replicas }) => replicas.unheard),
    ),
  ];
}
