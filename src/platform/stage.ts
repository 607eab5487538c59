// A stage is one thing: all that it adds to a process, from one function of one file. It is joined here to what the process has one of.
import type { Provider } from '@nestjs/common';
import type { Metric, Registry } from 'prom-client';
import type { Health, HealthCheck } from './http/health.js';
import type { LoopOptions, Loops } from './loops/loops.js';

/** Its controllers are a const beside it, for the contracts are made of them without a process. */
export interface Stage {
  /** For the constructors of controllers. */
  readonly providers?: readonly Provider[];
  readonly loops?: readonly LoopOptions[];
  readonly checks?: readonly HealthCheck[];
  readonly metrics?: readonly Metric[];
  /** For something that is no loop but must not begin earlier than the loops, such as a consumer. */
  readonly onStart?: () => void;
}

interface Process {
  readonly loops: Loops;
  readonly health: Health;
  readonly metrics: Registry;
}

/** In order: loops begin in it, and health lists its checks in it. */
export function addStages(stages: readonly Stage[], { loops, health, metrics }: Process): void {
  for (const stage of stages) {
    for (const loop of stage.loops ?? []) loops.add(loop);
    for (const check of stage.checks ?? []) health.add(check);
    for (const metric of stage.metrics ?? []) metrics.registerMetric(metric);
    if (stage.onStart !== undefined) loops.onStart(stage.onStart);
  }
}
