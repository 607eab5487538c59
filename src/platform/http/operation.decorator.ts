// What an operation answers and refuses, declared at its route: the API documents are made of it, and the compiler checks the
// method against it. Requests and answers are not parsed with it.
import { SetMetadata, type StreamableFile } from '@nestjs/common';
import { z } from 'zod';

export const OPERATION_KEY = 'carillon:operation';

/** By status, the codes that this operation adds to those that every operation of its kind may answer. */
export type Refusals = Readonly<Partial<Record<number, readonly string[]>>>;

export interface OperationFacts {
  /** A few words, as a list of operations shows them. */
  readonly summary: string;
  readonly refusals?: Refusals;
  /** Further members of a refusal, by status. */
  readonly refusalMembers?: Readonly<Partial<Record<number, z.ZodObject>>>;
  /** For a body that is read as bytes: its schema by media type. Other bodies are described by their @Body(). */
  readonly body?: Readonly<Record<string, z.ZodType>>;
  /** Further media types of the same answer, besides or instead of JSON. */
  readonly otherMedia?: readonly string[];
  /** It reads much, so that it takes a turn as lists do (list-turns.interceptor.ts); a route with a `cursor` always does. */
  readonly inTurn?: true;
  /** Of a POST that changes nothing: a repeat is answered anew, and its Idempotency-Key is not looked at. */
  readonly changesNothing?: true;
  /** Further statuses with the same answer. */
  readonly otherStatuses?: readonly number[];
}

export interface OperationMark extends OperationFacts {
  /** undefined: the answer has no body, or is not JSON. */
  readonly answer: z.ZodType | undefined;
}

/** A stream goes out as it is, under its own media type; the schema says nothing about it. */
type Taken<Answer> = Answer | StreamableFile;

type Answering<Answer> = <Method extends (...given: never[]) => Taken<Answer> | Promise<Taken<Answer>>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/** For every route: `answer` is the schema of what it returns. */
export function Operation<Schema extends z.ZodType>(
  answer: Schema,
  facts: OperationFacts,
): Answering<z.output<Schema>> {
  return SetMetadata(OPERATION_KEY, { answer, ...facts } satisfies OperationMark);
}

/** The same for a route that answers without a body, or not with JSON. */
export function BareOperation(facts: OperationFacts): MethodDecorator {
  return SetMetadata(OPERATION_KEY, { answer: undefined, ...facts } satisfies OperationMark);
}

/** Whether the answer of a route is kept under the Idempotency-Key of its request. */
export function keepsAnswer(method: string, mark: OperationMark | undefined): boolean {
  return method === 'POST' && mark?.changesNothing !== true;
}
