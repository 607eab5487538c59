// How a planned send that does not leave is settled, by what the second look says of it. Pure.
import type { Settlement } from '../store/send/settle.store.js';
import type { QueuedSend } from './project-queue.js';
import type { SendCheck } from './check-before-send.js';

/** As it stands. */
export function asItIs({ id, attempts, changes }: QueuedSend): Settlement {
  return {
    id,
    attempts,
    changes,
    state: 'planned',
    code: null,
    detail: null,
    handOffAt: null,
    mode: null,
    modeRule: null,
    dueAt: null,
  };
}

/** As the second look says. */
export function putBackOf(entry: QueuedSend, look: Exclude<SendCheck, { kind: 'fire' }>): Settlement {
  if (look.kind !== 'later')
    return { ...asItIs(entry), state: look.kind, code: look.code, detail: look.detail };
  const { at, mode, rule, dueAt } = look;
  return { ...asItIs(entry), code: rule, handOffAt: at, mode, modeRule: rule, dueAt };
}
