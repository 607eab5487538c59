import { describe, expect, it } from 'vitest';
import { PUSH_ERRORS, type PushErrorName } from './errors.js';
import { readGatewayError } from './read-error.js';

const body = (errorCode: unknown): string => JSON.stringify({ error: { errorCode, message: 'its words' } });

describe('the error of an answer', () => {
  it.each(Object.entries(PUSH_ERRORS))('is %s by status and code', (name, { status, errorCode }) => {
    const expected = { name: name as PushErrorName, errorCode, message: 'its words' };
    expect(readGatewayError(status, body(errorCode))).toEqual(expected);
    expect(readGatewayError(status, body(Number(errorCode)))).toEqual(expected);
  });

  it('has no name where the interface lists no such pair', () => {
    expect(readGatewayError(402, body('200'))).toEqual({
      name: undefined,
      errorCode: '200',
      message: 'its words',
    });
  });

  it.each(['', 'null', '[]', '<html>', '"200"', '{"error":null}', '{"error":{"message":"200"}}', body(null)])(
    'is none in %s',
    (text) => expect(readGatewayError(401, text)).toBeUndefined(),
  );
});
