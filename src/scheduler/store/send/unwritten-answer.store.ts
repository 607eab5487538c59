// Keeps answers that the database refused to write, in a table without constraints that might refuse them, and makes their sends
// uncertain. Operators see them with their send.
import { z } from 'zod';
import { storable } from '../../../platform/http/storable-text.js';
import { errorCode } from '../../../platform/logging/error-code.js';
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { uncertainWaitMs } from '../../decide/lifecycle/next-poll.js';
import type { RecordedAnswer } from './answer.store.js';
import type { SendMove } from './move.store.js';

/** The most characters that are kept of a text from outside. */
const LONGEST_TEXT = 4_000;
/** The code of these sends. */
const UNWRITTEN = 'UNWRITTEN_ANSWER';

/** The facts of a kept answer that make its send uncertain. */
export interface KeptAnswer {
  readonly id: string;
  readonly attempt: number;
  /** For asking for its result; null: it has none, or none that can be stored as it is. */
  readonly requestId: string | null;
  /** SQLSTATE of the refusal. */
  readonly code: string | null;
}

/** Safe to repeat: an attempt has one answer. */
export async function keepAnswer(
  sql: Sql,
  answer: RecordedAnswer,
  error: unknown,
  { at, by }: { at: EpochMs; by: string },
): Promise<KeptAnswer> {
  const { id, attempt, ...others } = answer;
  const requestId =
    answer.requestId !== null && kept(answer.requestId) === answer.requestId ? answer.requestId : null;
  const code = kept(errorCode(error)) || null;
  const facts = JSON.stringify({ ...others, requestId }, cleaned);
  await sql.query(
    `insert into unwritten_answer (send, attempt, code, error, facts, at, by) values ($1, $2, $3, $4, $5, $6, $7)
     on conflict (send, attempt) do nothing`,
    [id, attempt, code, kept(String(error)), facts, new Date(at), by],
  );
  return { id, attempt, requestId, code };
}

/**
 * The move of a send whose answer was kept: to uncertain, with the requestId, so that its result is asked for. The attempt's number
 * fences it: a send that was moved meanwhile is not changed.
 */
export function uncertainMove({ id, attempt, requestId, code }: KeptAnswer, at: EpochMs): SendMove {
  return {
    id,
    attempts: attempt,
    fromState: 'sending',
    toState: 'uncertain',
    code: UNWRITTEN,
    detail: `the database refused its answer (${code ?? 'no SQLSTATE'}): see its unwritten answers`,
    requestId,
    nextAt: at + uncertainWaitMs(requestId),
  };
}

export const UnwrittenAnswer = z
  .object({
    attempt: z.int().min(1),
    code: z.string().nullable().describe('SQLSTATE of the refusal'),
    error: z.string(),
    facts: z.record(z.string(), z.unknown()).describe('The row of the answer that was to be written'),
    at: z.date(),
  })
  .meta({ id: 'UnwrittenAnswer' });
export type UnwrittenAnswer = z.output<typeof UnwrittenAnswer>;

export function unwrittenAnswersOf(sql: Sql, send: string): Promise<UnwrittenAnswer[]> {
  return sql.query(
    'select attempt, code, error, facts, at from unwritten_answer where send = $1 order by attempt',
    [send],
  );
}

const cleaned = (_name: string, value: unknown): unknown => (typeof value === 'string' ? kept(value) : value);

const kept = (text: string): string => storable(text, LONGEST_TEXT);
