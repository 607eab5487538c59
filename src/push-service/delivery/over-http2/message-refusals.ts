// Messages that a provider refuses whatever the device: after a run of such answers the rest is spared the way.
import type { Outcome } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import type { Verdict } from './verdict.js';

/** Refusals in a row, with none accepted before. */
const RUN = 20;

export class MessageRefusals {
  /** By the variant itself, which its rendering holds as long as its chunks come by. */
  readonly #runs = new WeakMap<
    Variant,
    { refused: number; isAccepted: boolean; last: Outcome | undefined }
  >();

  /** What the rest of a variant comes to unsent; undefined while it is worth sending. */
  of(variant: Variant): Outcome | undefined {
    const run = this.#runs.get(variant);
    return run !== undefined && !run.isAccepted && run.refused >= RUN ? run.last : undefined;
  }

  note(variant: Variant, { outcome, isAboutMessage }: Verdict): void {
    const run = this.#runs.get(variant) ?? { refused: 0, isAccepted: false, last: undefined };
    this.#runs.set(variant, run);
    if (outcome.kind === 'sent') run.isAccepted = true;
    run.refused = isAboutMessage === true ? run.refused + 1 : 0;
    if (isAboutMessage === true) run.last = outcome;
  }
}
