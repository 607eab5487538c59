// Metrics of the open streams.
import { counter, gauge } from '../../../platform/metric.js';
import type { OpenStreams } from './open-streams.js';

export const cutStreams = () =>
  counter(
    'carillon_streams_cut_total{reason}',
    'streams that were cut off: the reader was slow, or lost its access',
  );

export const openStreamsGauge = (streams: () => OpenStreams) =>
  gauge('carillon_streams_open', 'streams that are open in this process', () => streams().size);
