// What an operation answers and refuses, said beside its route: the documents of the API are made of it, and the compiler
// holds the method to it. Nothing is parsed with it on the way of a request.
import { SetMetadata, type StreamableFile } from '@nestjs/common';
import { z } from 'zod';

export const OPERATION_KEY = 'carillon:operation';

/** By status, the codes that this operation adds to those that every one of its kind may answer. */
export type Refusals = Readonly<Partial<Record<number, readonly string[]>>>;

export interface OperationFacts {
  /** A few words, as a list of operations shows them. */
  readonly summary: string;
  readonly refusals?: Refusals;
  /** Further members of a refusal, by its status. */
  readonly refusalMembers?: Readonly<Partial<Record<number, z.ZodObject>>>;
  /** A body that is read as bytes: what it may be, by media type. Others are described by their @Body(). */
  readonly body?: Readonly<Record<string, z.ZodType>>;
  /** Further media types of the same answer, beside or instead of JSON. */
  readonly otherMedia?: readonly string[];
  /** Further statuses with the same answer. */
  readonly otherStatuses?: readonly number[];
}

export interface OperationMark extends OperationFacts {
  /** undefined: it answers without a body, or not with JSON. */
  readonly answer: z.ZodType | undefined;
}

/** What goes out as it is, under its own media type, is no matter of the schema. */
type Taken<Answer> = Answer | StreamableFile;

type Answering<Answer> = <Method extends (...given: never[]) => Taken<Answer> | Promise<Taken<Answer>>>(
  target: object,
  name: string | symbol,
  descriptor: TypedPropertyDescriptor<Method>,
) => void;

/** On every route: `answer` is the schema of what it returns. */
export function Operation<Schema extends z.ZodType>(
  answer: Schema,
  facts: OperationFacts,
): Answering<z.output<Schema>> {
  return SetMetadata(OPERATION_KEY, { answer, ...facts } satisfies OperationMark);
}

/** The same of a route that answers nothing, or no JSON. */
export function BareOperation(facts: OperationFacts): MethodDecorator {
  return SetMetadata(OPERATION_KEY, { answer: undefined, ...facts } satisfies OperationMark);
}
