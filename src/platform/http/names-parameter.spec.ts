import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anyOf } from './names-parameter.js';

const STATES = anyOf(['sent', 'failed', 'stale']);

describe('a member that names some of a list', () => {
  it.each([
    ['failed', ['failed']],
    ['stale,sent', ['stale', 'sent']],
    ['sent,sent', ['sent', 'sent']],
  ])('takes %s, in the order given', (text, names) => {
    expect(STATES.parse(text)).toEqual(names);
  });

  it.each([
    ['sent,gone,lost', '"gone" is none of sent, failed, stale'],
    ['sent,', '"" is none of sent, failed, stale'],
    ['', '"" is none of sent, failed, stale'],
    ['Sent', '"Sent" is none of sent, failed, stale'],
    ['x'.repeat(5_000), `"${'x'.repeat(40)}" is none of sent, failed, stale`],
  ])('refuses %s as a whole, with all that may be named', (text, message) => {
    const { error } = STATES.safeParse(text);
    expect(error?.issues).toMatchObject([{ path: [], message }]);
  });

  it('is documented with all that may be named, as text', () => {
    expect(z.toJSONSchema(STATES.optional(), { io: 'input' })).toMatchObject({
      type: 'string',
      description: 'Any of sent, failed, stale, with commas',
    });
  });
});
