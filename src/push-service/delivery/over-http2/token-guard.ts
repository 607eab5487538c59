// Whether a token that is called bad may cost a device its place. A wrong project or environment calls every token bad:
// then most are refused, and none may be removed.

/** Answers that are remembered. */
const LAST = 1_000;

export class TokenGuard {
  readonly #last: boolean[] = [];
  #accepted = 0;

  /** Neither of other answers. */
  note(isAccepted: boolean): void {
    this.#last.push(isAccepted);
    if (isAccepted) this.#accepted += 1;
    if (this.#last.length > LAST && this.#last.shift() === true) this.#accepted -= 1;
  }

  get isMostlyAccepted(): boolean {
    return this.#accepted > this.#last.length - this.#accepted;
  }
}
