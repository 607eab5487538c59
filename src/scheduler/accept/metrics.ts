// The metrics of the intake.
import { counter } from '../../platform/metric.js';

export const eventMetrics = () => ({
  events: counter(
    'carillon_events_total{verdict,code}',
    'events that this process took or refused; code: the first reason of a refusal',
  ),
});

export const acceptMetrics = () => ({
  passedOver: counter(
    'carillon_kafka_records_passed_over_total',
    'Kafka records, or batches as one, that could not be decoded: each is a rejection as UNREADABLE',
  ),
  zonesPassedOver: counter(
    'carillon_zone_records_passed_over_total{code}',
    'records of the topic of zones that could not be taken, by the code of the reason',
  ),
});
