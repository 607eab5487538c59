// Reads `userId[,zone]` as CSV (RFC 4180). Our own, because a list has up to ten million rows: csv-parse 7.0.3 took 0.83 µs of
// processor time a row, this 0.15 (Node 20, a million rows). It is short because no value holds a line break.
import { checkUserId, LONGEST_LINE, RowFault, zoneIn, type RowReader, type TakeRow } from './user-row.js';

const HEADER = /^\s*"?user_?id"?\s*(?:,\s*"?(?:zone|time_?zone)"?\s*)?$/i;
/** A spreadsheet of another country, or a table of a terminal. */
const OTHER_SEPARATOR = /^\s*"?user_?id"?\s*[;\t|]/i;

export class CsvRows implements RowReader {
  #rest = '';
  #line = 0;

  constructor(private readonly take: TakeRow) {}

  push(text: string): void {
    let all = this.#rest + text;
    // A CR at the end may be half of a line end.
    const cut = all.endsWith('\r') ? all.length - 1 : all.length;
    if (all.includes('\r')) all = all.slice(0, cut).replaceAll(/\r\n?/g, '\n') + all.slice(cut);
    let from = 0;
    for (let end = all.indexOf('\n'); end >= 0; end = all.indexOf('\n', from)) {
      this.#read(all.slice(from, end));
      from = end + 1;
    }
    this.#rest = all.slice(from);
    if (this.#rest.length > LONGEST_LINE) throw this.#tooLong();
  }

  end(): void {
    const rest = this.#rest.replace(/\r$/, '');
    this.#rest = '';
    if (rest !== '') this.#read(rest);
  }

  #tooLong(): RowFault {
    return new RowFault(this.#line + 1, `a line has at most ${LONGEST_LINE} characters`);
  }

  #read(line: string): void {
    if (line.length > LONGEST_LINE) throw this.#tooLong();
    this.#line += 1;
    if (line === '') return;
    if (this.#line === 1) {
      if (HEADER.test(line)) return;
      if (OTHER_SEPARATOR.test(line))
        throw new RowFault(1, 'the columns have commas between them: userId,zone');
    }
    if (line.includes('"')) {
      this.#take(this.#unquoted(line));
      return;
    }
    const comma = line.indexOf(',');
    if (comma < 0) this.#take([line]);
    else if (line.indexOf(',', comma + 1) < 0) this.#take([line.slice(0, comma), line.slice(comma + 1)]);
    else this.#take(line.split(','));
  }

  #take([userId = '', zone = '', ...more]: readonly string[]): void {
    if (more.length > 0) throw new RowFault(this.#line, 'there are two columns at most: userId,zone');
    checkUserId(userId, this.#line);
    this.take(userId, zoneIn(zone));
  }

  /** The values of a line that has quotes. */
  #unquoted(line: string): string[] {
    const values: string[] = [];
    let at = 0;
    for (;;) {
      const quoted = /^[ ]*"((?:[^"]|"")*)"[ ]*(?=,|$)/.exec(line.slice(at));
      const plain = quoted === null ? /^[^",]*(?=,|$)/.exec(line.slice(at)) : null;
      const found = quoted ?? plain;
      if (found === null)
        throw new RowFault(this.#line, 'a quote is not closed, or stands in the middle of a value');
      values.push(quoted === null ? found[0] : (quoted[1] ?? '').replaceAll('""', '"'));
      at += found[0].length;
      if (at >= line.length) return values;
      // Over the comma.
      at += 1;
    }
  }
}
