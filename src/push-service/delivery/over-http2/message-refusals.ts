// Finds messages that a provider refuses for every device. After a run of such answers the rest of the message is not sent.
import type { Outcome } from '../provider-port.js';
import type { Variant } from '../../../push-contract/payload/render.js';
import type { JudgedAnswer } from './judged-answer.js';

/** So many refusals in a row, and no accepted device before them. */
const RUN = 20;

interface Run {
  refused: number;
  isAccepted: boolean;
  last: Outcome | undefined;
}

export class MessageRefusals {
  /** By the variant object, which stays the same while its firing's chunks come by (rendering.ts). */
  readonly #runs = new WeakMap<Variant, Run>();

  /** The outcome of a variant that is not sent any more; undefined while it is sent. */
  of(variant: Variant): Outcome | undefined {
    const run = this.#runs.get(variant);
    return run !== undefined && !run.isAccepted && run.refused >= RUN ? run.last : undefined;
  }

  note(variant: Variant, { outcome, isAboutMessage }: JudgedAnswer): void {
    const run = this.#runs.get(variant) ?? { refused: 0, isAccepted: false, last: undefined };
    this.#runs.set(variant, run);
    if (outcome.kind === 'sent') run.isAccepted = true;
    run.refused = isAboutMessage === true ? run.refused + 1 : 0;
    if (isAboutMessage === true) run.last = outcome;
  }
}
