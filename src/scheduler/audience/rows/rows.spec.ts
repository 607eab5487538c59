// What counts as rows of an upload: a table of texts, each read whole and cut at every place.
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  BrokenBodyError,
  canUnpack,
  MAX_ROWS,
  readUpload,
  TooManyRowsError,
  type Upload,
} from './read-upload.js';
import { CsvRows } from './csv-rows.js';
import { NdjsonRows } from './ndjson-rows.js';
import { RowFault, type RowReader, type TakeRow } from './user-row.js';

type Row = [string, string | null];
type Format = new (take: TakeRow) => RowReader;

function rowsIn(format: Format, pieces: readonly string[]): Row[] {
  const rows: Row[] = [];
  const reader = new format((userId, zone) => void rows.push([userId, zone]));
  for (const piece of pieces) reader.push(piece);
  reader.end();
  return rows;
}

const CSV: readonly [what: string, text: string, rows: Row[]][] = [
  [
    'ids alone',
    'a\nb\n',
    [
      ['a', null],
      ['b', null],
    ],
  ],
  ['no line end at the end', 'a,Asia/Seoul', [['a', 'Asia/Seoul']]],
  ['a header', 'userId,zone\na,Asia/Seoul\n', [['a', 'Asia/Seoul']]],
  ['a header in other letters', '"User_ID","TimeZone"\na,Asia/Seoul\n', [['a', 'Asia/Seoul']]],
  ['no header', 'user-1,zone\n', [['user-1', 'zone']]],
  [
    'CRLF',
    'a,Asia/Seoul\r\nb,\r\n',
    [
      ['a', 'Asia/Seoul'],
      ['b', null],
    ],
  ],
  [
    'line ends of all kinds',
    'a\rb\r\nc\nd\r',
    [
      ['a', null],
      ['b', null],
      ['c', null],
      ['d', null],
    ],
  ],
  ['empty lines', '\n\na\n\n', [['a', null]]],
  ['blanks around a zone', 'a,  Asia/Seoul \n', [['a', 'Asia/Seoul']]],
  [
    'quotes',
    '"a,1","Asia/Seoul"\n"b ""x"""\n',
    [
      ['a,1', 'Asia/Seoul'],
      ['b "x"', null],
    ],
  ],
  ['an empty zone in quotes', '"a",""\n', [['a', null]]],
  [
    'letters of other languages',
    '김철수,Asia/Seoul\n🙂\n',
    [
      ['김철수', 'Asia/Seoul'],
      ['🙂', null],
    ],
  ],
];

describe('CSV', () => {
  it.each(CSV)('reads %s', (_what, text, rows) => {
    expect(rowsIn(CsvRows, [text])).toEqual(rows);
    // However it is cut.
    for (let at = 1; at < text.length; at += 1)
      expect(rowsIn(CsvRows, [text.slice(0, at), text.slice(at)])).toEqual(rows);
  });

  it.each([
    ['an empty id', 'a\n,Asia/Seoul\n', 2, 'empty'],
    ['a third column', 'a,Asia/Seoul,x\n', 1, 'two columns'],
    ['an open quote', '"a\nb\n', 1, 'quote'],
    ['a quote in the middle', 'a"b"\n', 1, 'quote'],
    ['semicolons', 'userId;zone\na;Asia/Seoul\n', 1, 'commas'],
    ['a NUL', 'a\nb\0\n', 2, 'control character'],
    ['a tab', 'a\tb\n', 1, 'control character'],
    ['an id of 129 characters', `${'x'.repeat(129)}\n`, 1, '128 characters'],
    ['a line without an end', 'x'.repeat(5_000), 1, '4096 characters'],
  ])('refuses %s by its line', (_what, text, line, why) => {
    const fault = faultOf(() => rowsIn(CsvRows, [text]));
    expect(fault.line).toBe(line);
    expect(fault.message).toContain(why);
  });

  it('takes an id of 128 characters, however many bytes they have', () => {
    const id = '🙂'.repeat(128);
    expect(rowsIn(CsvRows, [id])).toEqual([[id, null]]);
  });
});

describe('NDJSON', () => {
  it('reads objects and ids, with any line end', () => {
    const text = '{"userId":"a","zone":"Asia/Seoul"}\r\n"b"\n\n{"userId":"c","zone":null}';
    const rows: Row[] = [
      ['a', 'Asia/Seoul'],
      ['b', null],
      ['c', null],
    ];
    for (let at = 0; at < text.length; at += 1)
      expect(rowsIn(NdjsonRows, [text.slice(0, at), text.slice(at)])).toEqual(rows);
  });

  it.each([
    ['no JSON', '{"userId":"a"}\n{oops\n', 2, 'no JSON'],
    ['a number', '17\n', 1, 'object'],
    ['no id', '{"zone":"Asia/Seoul"}\n', 1, 'userId must be a string'],
    ['a misspelt member', '{"userid":"a"}\n', 1, '"userid"'],
    ['a zone that is a number', '{"userId":"a","zone":9}\n', 1, 'zone must be'],
    ['an escaped NUL', '{"userId":"a\\u0000"}\n', 1, 'control character'],
    ['half of a pair', '{"userId":"a\\ud800"}\n', 1, 'half of a character'],
  ])('refuses %s by its line', (_what, text, line, why) => {
    const fault = faultOf(() => rowsIn(NdjsonRows, [text]));
    expect(fault.line).toBe(line);
    expect(fault.message).toContain(why);
  });
});

function faultOf(work: () => unknown): RowFault {
  try {
    work();
  } catch (error) {
    if (error instanceof RowFault) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

async function read(body: Readable, more: Partial<Upload> = {}): Promise<{ rows: Row[]; digest: string }> {
  const rows: Row[] = [];
  const digest = await readUpload(
    { body, format: 'csv', packing: undefined, ...more },
    { take: (userId, zone) => void rows.push([userId, zone]), between: () => Promise.resolve() },
  );
  return { rows, digest };
}

const stream = (...pieces: (string | Buffer)[]): Readable =>
  Readable.from(pieces.map((piece) => Buffer.from(piece)));

describe('a body', () => {
  it('is read without its BOM, cut in the middle of a character', async () => {
    const bytes = Buffer.from('\uFEFFuserId,zone\n김,Asia/Seoul\n');
    for (let at = 1; at < bytes.length; at += 1)
      expect((await read(stream(bytes.subarray(0, at), bytes.subarray(at)))).rows).toEqual([
        ['김', 'Asia/Seoul'],
      ]);
  });

  it('has the digest of what is unpacked', async () => {
    const plain = await read(stream('a\nb\n'));
    const packed = await read(stream(gzipSync('a\nb\n')), { packing: 'gzip' });
    expect(packed).toEqual(plain);
    // By sha256sum.
    expect(plain.digest).toBe('911169ddaaf146aff539f58c26c489af3b892dff0fe283c1c264c65ae5aa59a2');
  });

  it('is refused where its gzip is cut, or is none', async () => {
    const packed = gzipSync('a\nb\n'.repeat(10_000));
    await expect(read(stream(packed.subarray(0, 40)), { packing: 'gzip' })).rejects.toThrow(BrokenBodyError);
    await expect(read(stream('a\nb\n'), { packing: 'gzip' })).rejects.toThrow(BrokenBodyError);
  });

  it('is refused where it is no UTF-8', async () => {
    await expect(read(stream(Buffer.from([0x61, 0xff, 0x0a])))).rejects.toThrow('no UTF-8');
    await expect(read(stream(Buffer.from([0x61, 0xe2, 0x82])))).rejects.toThrow('no UTF-8');
  });

  it('is refused where its sender is silent, or goes away', async () => {
    const silent = new Readable({ read: () => undefined });
    silent.push('a\n');
    await expect(read(silent, { silentMs: 20 })).rejects.toThrow('nothing came');
    const gone = new Readable({ read: () => undefined });
    gone.push('a\n');
    setTimeout(() => gone.destroy(new Error('aborted')), 5);
    await expect(read(gone)).rejects.toThrow('was cut off');
  });

  it('is refused where it is empty for a megabyte', async () => {
    await expect(read(stream(gzipSync('\n'.repeat(3_000_000))), { packing: 'gzip' })).rejects.toThrow(
      'without any row',
    );
  });

  it('is refused with one row too many', async () => {
    const page = Buffer.from('a\n'.repeat(100_000));
    function* pages(): Generator<Buffer> {
      for (let rows = 0; rows < MAX_ROWS; rows += 100_000) yield page;
      yield Buffer.from('b\n');
    }
    let rows = 0;
    const reading = readUpload(
      { body: Readable.from(pages()), format: 'csv', packing: undefined },
      { take: () => void (rows += 1), between: () => Promise.resolve() },
    );
    await expect(reading).rejects.toThrow(TooManyRowsError);
    expect(rows).toBe(MAX_ROWS);
  });

  it('is unpacked from zstd where this Node can', () => {
    expect(canUnpack('gzip')).toBe(true);
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    expect(canUnpack('zstd')).toBe(major > 22 || (major === 22 && minor >= 15));
  });
});
