// The name of a new Kafka cluster: 16 random bytes as Kafka itself writes them.
import { randomBytes } from 'node:crypto';

/** Never begins with a dash: Kafka's own tool would take it for an option, and the broker would not start. */
export function newClusterId(random: () => Buffer = () => randomBytes(16)): string {
  for (;;) {
    const id = random().toString('base64url');
    if (!id.startsWith('-')) return id;
  }
}
