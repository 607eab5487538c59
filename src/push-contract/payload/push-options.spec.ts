import { expect, it } from 'vitest';
import { DEVICE_TYPES } from '../statuses.js';
import { misfitOf, PUSH_OPTIONS, type PushOptionName } from './push-options.js';

const NAMES = Object.keys(PUSH_OPTIONS) as PushOptionName[];
/** The examples in backticks of what an option takes. */
const examplesOf = (name: PushOptionName): unknown[] =>
  [...PUSH_OPTIONS[name].takes.matchAll(/`([^`]+)`/g)].flatMap(([, text = '']) => {
    try {
      return [JSON.parse(text) as unknown];
    } catch {
      return [];
    }
  });

it.each(NAMES)('%s: what it says that it takes fits, and becomes part of what each provider gets', (name) => {
  const examples = examplesOf(name);
  expect(examples.length).toBeGreaterThan(0);
  for (const example of examples) {
    expect(DEVICE_TYPES.map((type) => misfitOf(name, example, type))).toEqual([undefined, undefined]);
    expect([PUSH_OPTIONS[name].fcm(example), PUSH_OPTIONS[name].apns(example)]).not.toContain(undefined);
  }
});

it.each(NAMES)('%s: what both providers pass over does not fit', (name) => {
  for (const value of [true, [], '', -1, 1.5, 'x', {}]) {
    const option = PUSH_OPTIONS[name];
    if (option.fcm(value) !== undefined || option.apns(value) !== undefined) continue;
    expect(DEVICE_TYPES.map((type) => misfitOf(name, value, type))).not.toContain(undefined);
  }
});
