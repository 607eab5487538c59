// Reports gateways whose clock differs so much from ours that requests are signed by theirs: logs it once, and again when it changes
// or ends; shows it in health and in the project while it lasts.
import { findingOfServices, type PartialFinding } from '../../platform/http/health.js';
import type { Clock } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import type { LocalTroubles } from './blocks/project-trouble.store.js';

const CLOCK_CORRECTED = 'CLOCK_CORRECTED';
/** How often a trouble is written while it lasts, real milliseconds: after two minutes its process would count as dead. */
const SEEN_EVERY_MS = 60_000;

export class GatewayClocks {
  readonly #known = new Map<string, { readonly offsetMs: number; readonly notedAt: number }>();

  constructor(
    private readonly troubles: LocalTroubles,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** `offsetMs`: what is added to our clock to sign this project's requests. Call it with every answer while it is not 0. */
  corrected(serviceId: string, offsetMs: number): void {
    const known = this.#known.get(serviceId);
    if (offsetMs === 0) {
      if (known === undefined) return;
      this.#known.delete(serviceId);
      this.troubles.end(serviceId, CLOCK_CORRECTED);
      this.log.info({ serviceId }, 'its gateway’s clock agrees with ours again');
      return;
    }
    const elapsed = this.clock.elapsed();
    const isChanged = known?.offsetMs !== offsetMs;
    if (!isChanged && elapsed < known.notedAt + SEEN_EVERY_MS) return;
    this.#known.set(serviceId, { offsetMs, notedAt: elapsed });
    const text = textOf(offsetMs);
    this.troubles.note(serviceId, CLOCK_CORRECTED, text);
    if (isChanged) this.log.warn({ serviceId, seconds: Math.round(offsetMs / 1_000) }, text);
  }

  /** All of them; undefined if there are none. */
  get note(): PartialFinding | undefined {
    return findingOfServices(
      [...this.#known].map(([serviceId, { offsetMs }]) => ({ serviceId, text: textOf(offsetMs) })),
    );
  }
}

function textOf(offsetMs: number): string {
  const seconds = Math.abs(Math.round(offsetMs / 1_000));
  const where = offsetMs > 0 ? 'behind' : 'ahead of';
  return `our clock is ${seconds} s ${where} its gateway’s, by which requests are signed: set it by NTP`;
}
