import { expect, it } from 'vitest';
import { failsAgain } from './fails-again.js';
import type { SendState } from './send-state.js';

it.each<[SendState, string | null, string | null, string | undefined]>([
  ['rejected', 'REQUEST_ENTITY_TOO_LARGE', '413/430 Request Entity Too Large', 'REQUEST_ENTITY_TOO_LARGE'],
  ['rejected', 'NOT_FOUND', null, 'NOT_FOUND'],
  ['rejected', 'PERMISSION_DENIED', null, 'PERMISSION_DENIED'],
  ['rejected', 'BAD_REQUEST', '400/100 channelName', 'BAD_REQUEST'],
  ['rejected', 'FOREIGN_ANSWER', '502 <html>', undefined],
  ['rejected', null, null, undefined],
  ['failed', 'RESULT_FAILED', 'PAYLOAD_TOO_LARGE: 3 devices, UNREGISTERED: 1 device', 'PAYLOAD_TOO_LARGE'],
  ['failed', 'RESULT_FAILED', 'UNREGISTERED: 3 devices, PAYLOAD_TOO_LARGE: 1 device', undefined],
  ['failed', 'RESULT_FAILED', null, undefined],
  ['failed', 'NOT_FOUND', null, undefined],
  ['expired', 'TOO_LATE', 'PAYLOAD_TOO_LARGE: 3 devices', undefined],
])('%s %s (%s) would fail again for %s', (state, code, detail, why) => {
  expect(failsAgain({ state, code, detail })).toBe(why);
});
