// One line of the doctor's answer.

export interface Line {
  readonly name: string;
  readonly ok: boolean;
  /** Wrong, but no fault of this installation: the doctor's exit code stays 0. */
  readonly note?: true;
  /** What was seen, or what to do. */
  readonly text: string;
}

export const ok = (name: string, text: string): Line => ({ name, ok: true, text });
export const no = (name: string, text: string): Line => ({ name, ok: false, text });
export const note = (name: string, text: string): Line => ({ name, ok: false, note: true, text });
