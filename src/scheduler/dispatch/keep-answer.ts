// What becomes of an answer that the database will not have written down: it is kept, its send is uncertain, and the log
// names both without a word of the answer. Never calls, never drops.
import { waitsForMend } from '../../platform/database/batch-writer.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { faultFields, type Log } from '../../platform/log.js';
import type { RecordedAnswer } from '../store/send/answer.store.js';
import { keepAnswer as keep, makeUncertain } from '../store/send/unwritten-answer.store.js';

export interface KeepAnswerParts {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  readonly by: string;
}

/** Rejects where it was not kept; it may be asked again then. */
export async function keepAnswer(
  parts: KeepAnswerParts,
  answer: RecordedAnswer,
  error: unknown,
): Promise<void> {
  const { sql, clock, log, by } = parts;
  const when = { at: clock.now(), by };
  await keep(sql, answer, error, when);
  const known = { send: answer.id, attempt: answer.attempt, fault: faultFields(error) };
  try {
    await makeUncertain(sql, answer, error, when);
    log.error(known, 'an answer cannot be written down: it is kept apart, and its send is uncertain');
  } catch (second) {
    if (waitsForMend(second)) throw second;
    log.error(
      { ...known, second: faultFields(second) },
      'an answer cannot be written down: it is kept apart; its send becomes uncertain within a minute of the database allowing it',
    );
  }
}
