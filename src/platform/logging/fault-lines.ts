// The log lines of something that is tried again and again: one when it breaks, one each time the number of failures has doubled,
// one when it works again. It logs nothing where an outage is the reason, because that is logged once for the whole process.
import { isOutage, type Log } from './log.js';

export class FaultLines {
  #faults = 0;

  constructor(private readonly log: Log) {}

  /** Resolves once it is known whether it is an outage: after at most 4 s, if the database hangs. */
  async failed(error: unknown, fields: object, text: string): Promise<void> {
    if (await isOutage(this.log, error)) return;
    this.#faults += 1;
    if (Number.isInteger(Math.log2(this.#faults))) this.log.error({ ...fields, err: error }, text);
  }

  worked(fields: object, text: string): void {
    if (this.#faults > 0) this.log.info(fields, text);
    this.#faults = 0;
  }
}
