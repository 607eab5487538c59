// The text for a caller of an issue that a zod schema found: the schema's own text, or ours instead of zod's.
import type { z } from 'zod';
import { MOST_LISTED } from '../most-listed.js';

type Issue = z.core.$ZodIssue;

/** zod's text for a member that is left out: "expected string, received undefined". */
const LEFT_OUT = /^Invalid input: expected .*, received undefined$/;
/** How zod's own texts begin. The texts of our schemas begin with "must", "is" or "has". */
const RAW = /^(?:Invalid |Too (?:small|big)|Unrecognized |Input not )/;

export function issueText(issue: Issue): string {
  if (!RAW.test(issue.message)) return issue.message;
  return LEFT_OUT.test(issue.message) ? 'is required' : inWords(issue);
}

function inWords(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${typeName(issue.expected)}`;
    case 'invalid_value':
      return `must be ${issue.values.map((value) => JSON.stringify(value)).join(' or ')}`;
    case 'invalid_format':
      return FORMATS[issue.format] ?? `must have the format ${issue.pattern ?? issue.format}`;
    case 'too_small':
      return boundText('least', issue.minimum, issue.origin);
    case 'too_big':
      return boundText('most', issue.maximum, issue.origin);
    case 'not_multiple_of':
      return `must be a multiple of ${issue.divisor}`;
    case 'invalid_union':
      return formsText(issue.errors);
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.map(issueText).join(', ');
    case 'unrecognized_keys':
      return `has members that are not known here: ${issue.keys.slice(0, MOST_LISTED).join(', ').slice(0, 500)}`;
    case 'custom':
    default:
      return 'is not taken here';
  }
}

/** What each form of a union requires of the whole value. */
function formsText(forms: readonly (readonly Issue[])[]): string {
  const whole = forms.map((issues) => issues.find(({ path }) => path.length === 0));
  const words = whole.flatMap((issue) => (issue === undefined ? [] : [issueText(issue)]));
  return words.length === 0 ? 'has no form that is taken here' : [...new Set(words)].join(', or ');
}

/** The name of a type in JSON. `record` is a word of zod. */
const TYPE_NAMES: Readonly<Record<string, string>> = {
  array: 'an array',
  boolean: 'true or false',
  int: 'an integer',
  object: 'an object',
  record: 'an object',
};

export const typeName = (expected: string): string => TYPE_NAMES[expected] ?? `a ${expected}`;

const FORMATS: Readonly<Record<string, string>> = {
  uuid: 'must be a UUID, such as 01936f2c-5d80-7c3e-9a4b-2f1e0d9c8b7a',
  datetime: 'must be an instant, such as 2027-03-01T00:00:00Z',
  date: 'must be a date, such as 2027-03-01',
  url: 'must be a URL, such as https://push.example',
};

/** The bound of a length or a number. */
export function boundText(which: 'least' | 'most', size: number | bigint, origin: string): string {
  const unit = { string: 'character', array: 'element' }[origin];
  return unit === undefined
    ? `must be at ${which} ${size}`
    : `must have at ${which} ${size} ${unit}${Number(size) === 1 ? '' : 's'}`;
}
