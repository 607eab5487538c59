// The metrics of the intake.
import { counter } from '../../platform/metric.js';

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
