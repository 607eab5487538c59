// Writes answers down. An answer that the database refuses is kept in `unwritten_answer` and its send becomes uncertain; the log
// names both but not the answer's text. Never calls, never drops an answer.
import { BatchWriter, maySucceedLater } from '../../platform/database/batch-writer.js';
import { faultFields } from '../../platform/logging/log.js';
import { recordAnswers, type RecordedAnswer } from '../store/send/answer.store.js';
import { moveSends } from '../store/send/move.store.js';
import { keepAnswer, uncertainMove } from '../store/send/unwritten-answer.store.js';
import { traceOfSend } from '../store/trace.store.js';
import type { DispatchDeps } from './dispatch-deps.js';

type WriterDeps = Pick<DispatchDeps, 'sql' | 'clock' | 'log' | 'by' | 'batch'> &
  Partial<Pick<DispatchDeps, 'onWritten'>> & {
    /** Called with answers that are written down, before onWritten(). */
    readonly written?: (answers: readonly RecordedAnswer[]) => void;
  };

export function answerWriter(deps: WriterDeps): BatchWriter<RecordedAnswer> {
  const { sql, clock, log, by, batch, onWritten, written } = deps;
  return new BatchWriter({
    name: 'answers',
    write: async (answers: readonly RecordedAnswer[]) => {
      await recordAnswers(sql, answers, by, clock.now());
      written?.(answers);
      onWritten?.();
    },
    refused: (answer, error) => keepApart(deps, answer, error),
    batch,
    log,
  });
}

/** Rejects if the answer was not kept; then call it again. */
async function keepApart(
  { sql, clock, log, by }: WriterDeps,
  answer: RecordedAnswer,
  error: unknown,
): Promise<void> {
  const when = { at: clock.now(), by };
  const kept = await keepAnswer(sql, answer, error, when);
  const trace = await traceOfSend(sql, answer.id);
  const known = { send: answer.id, attempt: answer.attempt, fault: faultFields(error), trace };
  try {
    await moveSends(sql, [uncertainMove(kept, when.at)], when);
    log.error(known, 'an answer cannot be written down: it is kept apart, and its send is uncertain');
  } catch (second) {
    if (maySucceedLater(second)) throw second;
    log.error(
      { ...known, second: faultFields(second) },
      'an answer cannot be written down: it is kept apart; its send becomes uncertain within a minute of the database allowing it',
    );
  }
}
