// Every language has the same keys, and each of its texts the same values; every state of the API has its word.
import { parse, TYPE, type MessageFormatElement } from '@formatjs/icu-messageformat-parser';
import { describe, expect, it } from 'vitest';
import { CAMPAIGN_STATES } from '../../../src/scheduler/decide/lifecycle/campaign-state.js';
import { SEND_STATES, SEND_TERMS } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { SKIP_CODES } from '../../../src/scheduler/decide/plan/plan-types.js';
import { MODE_RULES } from '../../../src/scheduler/decide/timing/send-mode.js';
import { NOBODY_CODES } from '../../../src/scheduler/decide/lifecycle/attention.js';
import en from './en.json' with { type: 'json' };
import ko from './ko.json' with { type: 'json' };

const KEYS = Object.keys(en);

describe('en.json', () => {
  it.each([
    ['campaign', CAMPAIGN_STATES],
    ['send', SEND_STATES],
    ['term', SEND_TERMS],
    ['code', SKIP_CODES],
    ['code', MODE_RULES],
    ['code', NOBODY_CODES],
  ] as const)('has a word %s.… for each of %s', (kind, words) => {
    expect(words.filter((word) => !KEYS.includes(`${kind}.${word}`))).toEqual([]);
  });
});

describe.each<[string, Readonly<Record<string, string>>]>([['ko.json', ko]])('%s', (_, messages) => {
  it('has the keys of en.json in their order, and no other', () => {
    expect(Object.keys(messages)).toEqual(KEYS);
  });

  it('takes in each text the arguments and tags that en.json takes', () => {
    const taken = (texts: Readonly<Record<string, string>>) =>
      KEYS.map((key) => `${key}: ${valuesOf(texts[key] ?? '').join(', ')}`);
    expect(taken(messages)).toEqual(taken(en));
  });

  it('leaves no text empty', () => {
    expect(Object.keys(messages).filter((key) => messages[key] === '')).toEqual([]);
  });
});

/** The arguments and tags of a text, each with what formats it: `count argument`, `n plural`. */
function valuesOf(text: string): readonly string[] {
  return [...new Set(parse(text).flatMap(valuesIn))].toSorted();
}

function valuesIn(part: MessageFormatElement): readonly string[] {
  if (part.type === TYPE.literal || part.type === TYPE.pound) return [];
  const own = `${part.value} ${TYPE[part.type]}`;
  if (part.type === TYPE.tag) return [own, ...part.children.flatMap(valuesIn)];
  if (part.type !== TYPE.plural && part.type !== TYPE.select) return [own];
  return [own, ...Object.values(part.options).flatMap(({ value }) => value.flatMap(valuesIn))];
}
