import { expect, it } from 'vitest';
import { PublishedContracts } from './published.js';

it('writes each contract once, however often it is asked for', () => {
  const contracts = new PublishedContracts(() => []);
  for (const name of contracts.names) {
    const bytes = contracts.bytes(name);
    expect(JSON.parse(String(bytes))).toEqual(JSON.parse(JSON.stringify(contracts.read(name))));
    expect(contracts.bytes(name)).toBe(bytes);
  }
  expect(contracts.bytes('nothing.json')).toBeUndefined();
});
