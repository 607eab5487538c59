// What /health/ready asks of this process as a whole. Stages add checks of their own to Health.
import type { DatabaseGate } from '../../platform/database-gate.js';
import type { DatabaseListener } from '../../platform/database-listener.js';
import type { Finding, Health, Note } from '../../platform/health.js';
import type { KafkaConnection } from '../../platform/kafka.js';
import type { Loops } from '../../platform/loops.js';
import type { SchedulerConfig } from '../scheduler.config.js';

export interface HealthParts {
  readonly config: SchedulerConfig;
  readonly gate: DatabaseGate;
  readonly listener: DatabaseListener;
  readonly loops: Loops;
  readonly kafka: KafkaConnection | undefined;
  readonly drain: { readonly begun: boolean };
  /** undefined: this process does not dispatch. */
  readonly dispatch: Gateways | undefined;
}

interface Gateways {
  unusable(): readonly string[];
  gateways(): { readonly called: number; readonly unreachable: readonly string[] };
}

export function addHealthChecks(health: Health, parts: HealthParts): void {
  const { config, gate, listener, loops, kafka, drain, dispatch } = parts;
  health.add('process', () => (drain.begun ? 'it is draining and will end' : undefined));
  health.add('database', () => gate.finding());
  // A shortcut only: without it work is found by looking for it.
  health.add('notifications', () => {
    const note = listener.finding();
    return note === undefined ? undefined : { note };
  });
  health.add('loops', () => failing(loops));
  if (kafka !== undefined && (config.roles.has('accept') || config.roles.has('publish'))) {
    health.add('kafka', () => kafkaFinding(kafka));
  }
  if (dispatch !== undefined) {
    health.add('push gateways', () => gatewaysFinding(dispatch));
    health.add('push projects', () => {
      const unusable = dispatch.unusable();
      return unusable.length === 0 ? undefined : { note: unusable.join('; ') };
    });
  }
}

/** One project's gateway away is told, and is no reason for the others' work to leave this process. */
function gatewaysFinding(dispatch: Gateways): Finding | Note {
  const { called, unreachable } = dispatch.gateways();
  if (unreachable.length === 0) return undefined;
  const text = `the push gateway of ${unreachable.join(', ')} cannot be reached; its sends wait`;
  return unreachable.length < called ? { note: text } : text;
}

function failing(loops: Loops): Finding {
  const broken = loops.status().filter(({ lastError }) => lastError !== undefined);
  if (broken.length === 0) return undefined;
  return broken.map(({ name, lastError }) => `${name}: ${lastError ?? ''}`).join('; ');
}

function kafkaFinding(kafka: KafkaConnection): Finding {
  const broken = kafka.health().filter(({ ok }) => !ok);
  return broken.length === 0 ? undefined : broken.map(({ name, detail }) => `${name}: ${detail}`).join('; ');
}
