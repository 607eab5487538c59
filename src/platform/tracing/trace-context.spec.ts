// W3C Trace Context as it is taken and handed on, as tables.
import { describe, expect, it } from 'vitest';
import { childOf, readTraceContext, traceIdOf, TRACEPARENT_FORM } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';
const VALID = `00-${TRACE}-${SPAN}-01`;

describe('traceparent', () => {
  it.each([
    [VALID, VALID],
    [`00-${TRACE}-${SPAN}-00`, `00-${TRACE}-${SPAN}-00`],
    // A flag of level 2 is kept, one that nobody knows is not handed on.
    [`00-${TRACE}-${SPAN}-03`, `00-${TRACE}-${SPAN}-03`],
    [`00-${TRACE}-${SPAN}-ff`, `00-${TRACE}-${SPAN}-03`],
    [`00-${TRACE}-${SPAN}-09`, VALID],
    // A later version is read as far as ours goes, and handed on as ours.
    [`01-${TRACE}-${SPAN}-01`, VALID],
    [`cc-${TRACE}-${SPAN}-01-what-the-future-brings`, VALID],
  ])('%s is taken as %s', (given, taken) => {
    expect(readTraceContext(given)).toEqual({ traceparent: taken });
    expect(taken).toMatch(TRACEPARENT_FORM);
  });

  it.each([
    ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['a trace id of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['a span id of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['the version that is forbidden', `ff-${TRACE}-${SPAN}-01`],
    ['more behind version 00', `${VALID}-more`],
    ['more behind a later version, without a dash', `01-${TRACE}-${SPAN}-01more`],
    ['a short trace id', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['a long span id', `00-${TRACE}-${SPAN}0-01`],
    ['no flags', `00-${TRACE}-${SPAN}`],
    ['flags of one digit', `00-${TRACE}-${SPAN}-1`],
    ['what is no hexadecimal', `00-${TRACE.replace('4', 'g')}-${SPAN}-01`],
    ['white space around it', ` ${VALID}`],
    ['a line feed behind it', `${VALID}\n`],
    ['two of them', `${VALID},${VALID}`],
    ['nothing', ''],
    ['no text', 7],
    ['several headers', [VALID, VALID]],
    ['none', undefined],
  ])('%s counts as none', (_, given) => {
    expect(readTraceContext(given, 'vendor=1')).toBeUndefined();
  });
});

describe('tracestate', () => {
  const stateOf = (given: unknown): string | undefined => readTraceContext(VALID, given)?.tracestate;

  it.each([
    ['rojo=00f067aa0ba902b7,congo=t61rcWkgMzE', 'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE'],
    ['tenant@vendor=a b,\tother=1 ', 'tenant@vendor=a b,other=1'],
    ['a=1,,b=2', 'a=1,b=2'],
  ])('%j is kept', (given, kept) => expect(stateOf(given)).toBe(kept));

  it.each([
    '',
    ',',
    'no-value',
    'Upper=1',
    'a=1,ü=2',
    'a=1=2',
    'a=\n',
    Array.from({ length: 33 }, (_, at) => `k${at}=1`).join(','),
    7,
    undefined,
  ])('%j is left out, and the traceparent stays', (given) => {
    expect(readTraceContext(VALID, given)).toEqual({ traceparent: VALID });
  });

  it('is kept up to 512 characters, in whole members: long ones go first, then those at the end', () => {
    const short = Array.from({ length: 6 }, (_, at) => `s${at}=${'x'.repeat(80)}`);
    const long = `long=${'x'.repeat(200)}`;
    expect(stateOf([...short.slice(0, 3), long, ...short.slice(3)].join(','))).toBe(short.join(','));
    const longer = Array.from({ length: 7 }, (_, at) => `s${at}=${'x'.repeat(80)}`);
    expect(stateOf(longer.join(','))).toBe(longer.slice(0, 6).join(','));
    const fits = `a=${'x'.repeat(250)},b=${'x'.repeat(248)},c=1234`;
    expect(fits).toHaveLength(510);
    expect(stateOf(fits)).toBe(fits);
  });
});

it('a child has the trace, its flags and its state, below a span of its own', () => {
  const parent = { traceparent: VALID, tracestate: 'a=1' };
  const child = childOf(parent, '1234567890abcdef');
  expect(child).toEqual({ traceparent: `00-${TRACE}-1234567890abcdef-01`, tracestate: 'a=1' });
  expect(traceIdOf(child)).toBe(TRACE);
});
