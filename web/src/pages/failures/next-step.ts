// What would help a group: to be resolved, to be retried as it is, or something to be mended first because a retry would fail again. Pure.
import type { FailureGroup } from '../../api/failures.ts';
import type { TextKey } from '../../i18n/text.ts';

const OF_THE_KEY: readonly string[] = ['PERMISSION_DENIED', 'FORBIDDEN', 'AUTHENTICATION_FAILED'];
const OF_THE_REQUEST: readonly string[] = [
  'BAD_REQUEST',
  'NOT_FOUND',
  'CONFLICT',
  'REQUEST_ENTITY_TOO_LARGE',
  'FAIL_ANSWER',
];

export function nextStepOf({
  state,
  code,
  retryable,
}: Pick<FailureGroup, 'state' | 'code' | 'retryable'>): TextKey {
  if (state === 'uncertain') return 'next.resolve';
  if (OF_THE_KEY.includes(code ?? '')) return 'next.mendKey';
  if (OF_THE_REQUEST.includes(code ?? '') || code?.startsWith('REFUSED_') === true) return 'next.mendRequest';
  return retryable ? 'next.retry' : 'next.none';
}
