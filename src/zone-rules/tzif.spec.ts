import { describe, expect, it } from 'vitest';
import { parseTzif, TzifError } from './tzif.js';

interface Block {
  readonly times: readonly number[];
  readonly indexes: readonly number[];
  readonly offsets: readonly number[];
  readonly leap?: number;
}

/** A file of version 2 with an empty 32-bit block, as RFC 9636 §4 lets a writer make it. */
function tzif(block: Block, footer: string, version = '2'): Buffer {
  const header = (counts: readonly number[]): Buffer => {
    const bytes = Buffer.alloc(44);
    bytes.write('TZif', 0, 'latin1');
    bytes.write(version, 4, 'latin1');
    for (const [index, count] of counts.entries()) bytes.writeUInt32BE(count, 20 + index * 4);
    return bytes;
  };
  const times = Buffer.alloc(block.times.length * 8);
  for (const [index, at] of block.times.entries()) times.writeBigInt64BE(BigInt(at), index * 8);
  const types = Buffer.alloc(block.offsets.length * 6);
  for (const [index, offset] of block.offsets.entries()) types.writeInt32BE(offset, index * 6);
  return Buffer.concat([
    header([0, 0, 0, 0, 1, 1]),
    Buffer.alloc(7),
    header([0, 0, block.leap ?? 0, block.times.length, block.offsets.length, 1]),
    times,
    Buffer.from(block.indexes),
    types,
    Buffer.alloc(1),
    Buffer.alloc((block.leap ?? 0) * 12),
    Buffer.from(`\n${footer}\n`, 'latin1'),
  ]);
}

const block: Block = { times: [1_000_000_000, 1_100_000_000], indexes: [1, 0], offsets: [3_600, 7_200] };

describe('parseTzif', () => {
  it('RFC 9636 §3.2 reads the 64-bit transitions and the type that holds before the first', () => {
    const source = parseTzif(tzif(block, 'XXX-1'));
    expect(source.initialOffsetMs).toBe(3_600_000);
    expect(source.transitions).toEqual([
      { at: 1_000_000_000_000, offsetMs: 7_200_000 },
      { at: 1_100_000_000_000, offsetMs: 3_600_000 },
    ]);
    expect(source.transitionsOf).toBeUndefined();
  });

  it('RFC 9636 §3.3 goes on with the footer, but only past the last transition', () => {
    const { transitionsOf, coveredToYear } = parseTzif(tzif(block, 'CET-1CEST,M3.5.0,M10.5.0/3'));
    expect(coveredToYear).toBe(2004);
    expect(transitionsOf?.(2004)).toEqual([]);
    expect(transitionsOf?.(2027)).toEqual([
      { at: Date.UTC(2027, 2, 28, 1), offsetMs: 7_200_000 },
      { at: Date.UTC(2027, 9, 31, 1), offsetMs: 3_600_000 },
    ]);
  });

  it.each([
    [
      'bytes of something else',
      Buffer.from('PK\u0003\u0004 and nothing more that any reader of zones would take for one'),
    ],
    ['nothing', Buffer.alloc(0)],
    ['a file of version 1', tzif(block, '', '\0')],
    ['a file cut short', tzif(block, 'XXX-1').subarray(0, 120)],
    ['leap seconds', tzif({ ...block, leap: 1 }, 'XXX-1')],
    ['a footer that is no rule', tzif(block, 'CET-1CEST,M3.5')],
  ])('refuses %s', (_name, bytes) => {
    expect(() => parseTzif(bytes)).toThrow(TzifError);
  });
});
