// Declares at a route what the operation answers and refuses. The API documents are made from it, and the compiler checks the
// method against it. It parses no requests and no answers.
import { SetMetadata, type StreamableFile } from '@nestjs/common';
import { z } from 'zod';

export const OPERATION_KEY = 'carillon:operation';

/** By status, the codes that this operation adds to those that every operation of its kind may answer. */
export type Refusals = Readonly<Partial<Record<number, readonly string[]>>>;

export interface OperationFacts {
  /** A few words, for a list of operations. */
  readonly summary: string;
  readonly refusals?: Refusals;
  /** Further members of a refusal, by status. */
  readonly refusalMembers?: Readonly<Partial<Record<number, z.ZodObject>>>;
  /** For a body that is read as bytes: its schema by media type. The @Body() describes other bodies. */
  readonly body?: Readonly<Record<string, z.ZodType>>;
  /** Further media types of the same answer, besides or instead of JSON. */
  readonly otherMedia?: readonly string[];
  /** It reads much, so it takes a turn as lists do (list-turns.interceptor.ts). A route with a `cursor` always does. */
  readonly inTurn?: true;
  /** A POST that changes nothing. A repeat gets a new answer, and its Idempotency-Key is ignored. */
  readonly changesNothing?: true;
  /** Further statuses with the same answer. */
  readonly otherStatuses?: readonly number[];
}

export interface OperationMark extends OperationFacts {
  /** Undefined: the answer has no body, or is not JSON. */
  readonly answer: z.ZodType | undefined;
}

/** A stream goes out as it is, with its own media type. The schema does not describe it. */
type Taken<Answer> = Answer | StreamableFile;

type Answering<Answer> = <Method extends (...given: never[]) => Taken<Answer> | Promise<Taken<Answer>>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/** Use it on every route. `answer` is the schema of what the route returns. */
export function Operation<Schema extends z.ZodType>(
  answer: Schema,
  facts: OperationFacts,
): Answering<z.output<Schema>> {
  return SetMetadata(OPERATION_KEY, { answer, ...facts } satisfies OperationMark);
}

/** As Operation(), for a route that answers without a body, or not with JSON. */
export function BareOperation(facts: OperationFacts): MethodDecorator {
  return SetMetadata(OPERATION_KEY, { answer: undefined, ...facts } satisfies OperationMark);
}

/** Whether the answer of a route is kept under the Idempotency-Key of its request. */
export function keepsAnswer(method: string, mark: OperationMark | undefined): boolean {
  return (method === 'POST' || method === 'PATCH') && mark?.changesNothing !== true;
}
