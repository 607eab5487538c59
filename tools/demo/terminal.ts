// Where the demo writes: lines that stay, one line that says what it waits for, colours where there are any. A file or a pipe
// gets the lines alone.
import { styleText } from 'node:util';

type Colour = 'green' | 'red' | 'yellow' | 'dim' | 'bold';

/** What it needs of process.stdout. */
export interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** Of what is no terminal. */
const USUAL_COLUMNS = 80;
/** Without a terminal, so often at most it is said what is waited for, milliseconds. */
const SAY_EVERY_MS = 15_000;
const BACK_AND_CLEAR = '\r\u001b[2K';

export class Terminal {
  readonly #isTerminal: boolean;
  readonly #isColoured: boolean;
  #waiting = '';
  #saidAt = -Infinity;

  /** https://no-color.org: any value that is not empty. */
  constructor(
    private readonly screen: Screen,
    env: Readonly<Record<string, string | undefined>>,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.#isTerminal = screen.isTTY === true;
    this.#isColoured = this.#isTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  }

  get columns(): number {
    return (this.#isTerminal ? this.screen.columns : undefined) ?? USUAL_COLUMNS;
  }

  readonly paint = (colour: Colour, text: string): string =>
    this.#isColoured ? styleText(colour, text, { validateStream: false }) : text;

  /** A line, or several, as they are. */
  readonly print = (text: string): void => {
    this.screen.write(`${this.#waiting === '' ? '' : BACK_AND_CLEAR}${text}\n`);
    if (this.#waiting !== '') this.screen.write(this.#waiting);
  };

  /** With the time of day. */
  readonly say = (sentence: string): void => this.print(`${timeOfDay()}  ${sentence}`);

  /** What is waited for, in the last line until it is said otherwise; '': nothing any more. */
  readonly wait = (sentence: string): void => {
    if (!this.#isTerminal) {
      if (sentence === '' || this.now() - this.#saidAt < SAY_EVERY_MS) return;
      this.#saidAt = this.now();
      this.say(sentence);
      return;
    }
    const text = sentence === '' ? '' : `${timeOfDay()}  ${sentence}`.slice(0, this.columns - 1);
    this.#waiting = text === '' ? '' : this.paint('dim', text);
    this.screen.write(`${BACK_AND_CLEAR}${this.#waiting}`);
  };
}

function timeOfDay(): string {
  return new Date().toTimeString().slice(0, 8);
}
