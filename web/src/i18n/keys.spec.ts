// Every language has the same keys, and each of its texts the same values; every state of the API has its word.
import { describe, expect, it } from 'vitest';
import { CAMPAIGN_STATES } from '../../../src/scheduler/decide/lifecycle/campaign-state.js';
import { SEND_STATES, SEND_TERMS } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { SKIP_CODES } from '../../../src/scheduler/decide/plan/plan-types.js';
import { MODE_RULES } from '../../../src/scheduler/decide/timing/send-mode.js';
import { NOBODY_CODES } from '../../../src/scheduler/decide/lifecycle/attention.js';
import en from './en.json' with { type: 'json' };

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
