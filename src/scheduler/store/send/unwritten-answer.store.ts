// Answers that the database refused to have written down: kept in a table of their own that refuses nothing, and their
// sends made uncertain. Operators find them with their send.
import { z } from 'zod';
import { errorCode } from '../../../platform/error-code.js';
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { uncertainWaitMs } from '../../decide/lifecycle/next-poll.js';
import type { RecordedAnswer } from './answer.store.js';
import { moveSends } from './move.store.js';

/** Of a text of a stranger: what cannot be stored is replaced, and no more of it kept. */
const LONGEST_TEXT = 4_000;
/** The code of their sends. */
const UNWRITTEN = 'UNWRITTEN_ANSWER';

/** Safe to repeat. Its key is the attempt's: one answer each. */
export async function keepAnswer(
  sql: Sql,
  answer: RecordedAnswer,
  error: unknown,
  { at, by }: { at: EpochMs; by: string },
): Promise<void> {
  const { id, attempt, ...facts } = answer;
  const code = errorCode(error);
  await sql.query(
    `insert into unwritten_answer (send, attempt, code, error, facts, at, by) values ($1, $2, nullif($3, ''), $4, $5, $6, $7)
     on conflict (send, attempt) do nothing`,
    [id, attempt, storable(code), storable(String(error)), JSON.stringify(facts, cleaned), new Date(at), by],
  );
}

/**
 * A send on the wire whose answer was kept. Its requestId goes with it, by which its result is asked for; by the attempt's
 * number, so whoever settled it meanwhile is not contradicted.
 */
export async function makeUncertain(
  sql: Sql,
  { id, attempt, requestId }: RecordedAnswer,
  error: unknown,
  { at, by }: { at: EpochMs; by: string },
): Promise<void> {
  const known = requestId === null || storable(requestId) !== requestId ? null : requestId;
  await moveSends(sql, {
    sends: [{ id, attempts: attempt }],
    from: 'sending',
    to: 'uncertain',
    code: UNWRITTEN,
    detail: `the database refused its answer (${errorCode(error) || 'no SQLSTATE'}): see its unwritten answers`,
    requestId: known,
    nextAt: at + uncertainWaitMs(known),
    at,
    by,
  });
}

export const UnwrittenAnswer = z
  .object({
    attempt: z.int().min(1),
    code: z.string().nullable().describe('SQLSTATE of the refusal'),
    error: z.string(),
    facts: z.record(z.string(), z.unknown()).describe('The answer, as it was to be written down'),
    at: z.date(),
  })
  .meta({ id: 'UnwrittenAnswer' });
export type UnwrittenAnswer = z.output<typeof UnwrittenAnswer>;

export async function unwrittenAnswersOf(sql: Sql, send: string): Promise<UnwrittenAnswer[]> {
  return sql.query<UnwrittenAnswer>(
    'select attempt, code, error, facts, at from unwritten_answer where send = $1 order by attempt',
    [send],
  );
}

function cleaned(_name: string, value: unknown): unknown {
  return typeof value === 'string' ? storable(value) : value;
}

function storable(text: string): string {
  return text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll('\0', '\uFFFD');
}
