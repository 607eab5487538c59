// Reads NDJSON: on each line {"userId": …, "zone": …}, or an id alone as a string.
import { checkUserId, LONGEST_LINE, RowFault, zoneIn, type RowReader, type TakeRow } from './user-row.js';

const EXAMPLE = '{"userId":"user-1","zone":"Asia/Seoul"}';

export class NdjsonRows implements RowReader {
  #rest = '';
  #line = 0;

  constructor(private readonly take: TakeRow) {}

  push(text: string): void {
    const all = this.#rest + text;
    let from = 0;
    for (let end = all.indexOf('\n'); end >= 0; end = all.indexOf('\n', from)) {
      this.#read(all.slice(from, end));
      from = end + 1;
    }
    this.#rest = all.slice(from);
    if (this.#rest.length > LONGEST_LINE) throw this.#tooLong();
  }

  end(): void {
    const rest = this.#rest;
    this.#rest = '';
    if (rest !== '') this.#read(rest);
  }

  #tooLong(): RowFault {
    return new RowFault(this.#line + 1, `a line has at most ${LONGEST_LINE} characters`);
  }

  #read(line: string): void {
    if (line.length > LONGEST_LINE) throw this.#tooLong();
    this.#line += 1;
    // JSON takes a CR for a blank.
    if (line.trim() === '') return;
    const { userId, zone } = this.#parsed(line);
    checkUserId(userId, this.#line);
    this.take(userId, zone === null ? null : zoneIn(zone));
  }

  #parsed(line: string): { readonly userId: string; readonly zone: string | null } {
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw new RowFault(this.#line, `is no JSON, such as ${EXAMPLE}`);
    }
    if (typeof value === 'string') return { userId: value, zone: null };
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new RowFault(this.#line, `must be an object, such as ${EXAMPLE}, or an id alone`);
    const { userId, zone = null, ...others } = value as Readonly<Record<string, unknown>>;
    const [stray] = Object.keys(others);
    if (stray !== undefined)
      throw new RowFault(
        this.#line,
        `${JSON.stringify(stray.slice(0, 40))} is no member of a row: taken are userId and zone`,
      );
    if (typeof userId !== 'string') throw new RowFault(this.#line, 'userId must be a string');
    if (zone !== null && typeof zone !== 'string')
      throw new RowFault(this.#line, 'zone must be a string, or null');
    return { userId, zone };
  }
}
