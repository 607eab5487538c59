import { expect, it } from 'vitest';
import { z } from 'zod';
import { issueText } from './issue-text.js';

it.each<[expected: string, schema: z.ZodType, value: unknown]>([
  ['must be a string', z.string(), 7],
  ['must be an array', z.array(z.string()), 'x'],
  ['must be an object', z.record(z.string(), z.string()), []],
  ['must be true or false', z.boolean(), 'x'],
  ['must be an integer', z.int(), 1.5],
  ['must be "json" or "csv"', z.enum(['json', 'csv']), 'xlsx'],
  ['must be true', z.literal(true), false],
  ['must be a UUID, such as 01936f2c-5d80-7c3e-9a4b-2f1e0d9c8b7a', z.uuid(), 'x'],
  ['must have the format /^a$/', z.string().regex(/^a$/), 'b'],
  ['must be a', z.string().regex(/^a$/, 'must be a'), 'b'],
  ['must have at least 1 character', z.string().min(1), ''],
  ['must have at most 2 elements', z.array(z.string()).max(2), ['a', 'b', 'c']],
  ['must be at most 5', z.number().max(5), 6],
  ['must be a multiple of 3', z.number().multipleOf(3), 4],
  ['must be a string, or must be an array', z.union([z.string(), z.array(z.string())]), 7],
  ['has members that are not known here: a', z.strictObject({}), { a: 1 }],
  ['must be a', z.record(z.string().regex(/^a$/, 'must be a'), z.string()), { b: 'x' }],
  ['must be x', z.string().refine((text) => text === 'x', 'must be x'), 'y'],
  ['is required', z.string(), undefined],
])('%s', (expected, schema, value) => {
  const issues = schema.safeParse(value).error?.issues ?? [];
  expect(issues.map(issueText)[0]).toBe(expected);
});
