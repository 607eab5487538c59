import { describe } from 'vitest';
import { SystemClock } from '../../../src/platform/clock.js';
import { KafkajsConnection } from '../../../src/platform/kafka/kafkajs-connection.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { conformsToKafka } from './kafka-conformance.js';

describe('kafkajs', () => {
  const parts = { clock: new SystemClock(), log: createLog('spec', 'silent') };
  conformsToKafka((settings) => new KafkajsConnection(settings, parts));
});
