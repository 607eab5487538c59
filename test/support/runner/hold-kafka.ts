// A program: starts Kafka in the folder it is given, says how to reach it, and stays until it is killed.
import { startKafka } from '../../../tools/kafka.js';
import { findKafka } from '../../../tools/kafka/find.js';

const found = await findKafka({ env: { ...process.env, KAFKA_BROKERS: '' } });
if (found.kind === 'none' || found.kind === 'given') throw new Error('no Kafka can be started here');
const kafka = await startKafka({ stateDir: process.argv[2] ?? '', found });
process.stdout.write(`${JSON.stringify({ pid: kafka.pid, brokers: kafka.brokers })}\n`);
