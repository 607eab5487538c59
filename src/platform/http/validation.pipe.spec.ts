import { expect, it } from 'vitest';
import { z } from 'zod';
import { ValidationPipe } from './validation.pipe.js';

it('leaves a value that the schema does not check as it came, and does not walk it', async () => {
  const touched: string[] = [];
  const large = new Proxy(
    {},
    { get: () => touched.push('get'), ownKeys: () => [String(touched.push('keys'))] },
  );
  const body = { event: large, constructor: 'a member' };
  const given = { type: 'body', schema: z.looseObject({ event: z.unknown() }) } as const;
  expect(await new ValidationPipe().transform(body, given)).toHaveProperty('constructor', 'a member');
  expect(touched).toEqual([]);
});
