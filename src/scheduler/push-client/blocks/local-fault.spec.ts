import { describe, expect, it } from 'vitest';
import { Secret } from '../../../platform/env.js';
import type { Project } from '../../store/project.store.js';
import { isOfThisProcess, localFaultNamed, localFaultOf } from './local-fault.js';

const KEY = { accessKey: 'ak', secretKey: new Secret('sk') };
const project = (seed: Partial<Project>): Project =>
  ({
    serviceId: 'shop-app',
    baseUrl: 'https://push.test',
    keys: [KEY],
    keyFault: undefined,
    ...seed,
  }) as Project;

describe('a fault on our side', () => {
  it.each([
    ['none', {}, undefined],
    ['no key', { keys: [] }, 'NO_KEY'],
    ['a key that does not open', { keys: [], keyFault: 'sealed elsewhere' }, 'KEY_UNREADABLE'],
    ['one of two keys that does not open', { keyFault: 'sealed elsewhere' }, undefined],
    ['an address that is none', { baseUrl: 'nowhere' }, 'BASE_URL_INVALID'],
    ['no key and no address', { keys: [], baseUrl: 'nowhere' }, 'NO_KEY'],
  ])('with %s', (_, seed, code) => {
    expect(localFaultOf(project(seed))?.code).toBe(code);
  });

  it('is found by the error of a call that was not made because of it, and by no other error', () => {
    expect(localFaultNamed('KEY_UNREADABLE')?.text).toContain('CARILLON_MASTER_KEY');
    expect(['ECONNREFUSED', 'toString', ''].map((error) => localFaultNamed(error))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('is this process’s alone only if another may have the master key', () => {
    const codes = ['NO_KEY', 'KEY_UNREADABLE', 'BASE_URL_INVALID'];
    const own = codes.filter((code) => {
      const fault = localFaultNamed(code);
      return fault !== undefined && isOfThisProcess(fault);
    });
    expect(own).toEqual(['KEY_UNREADABLE']);
  });
});
