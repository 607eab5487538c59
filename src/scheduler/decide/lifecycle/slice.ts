// The part of the sends that one of several replicas looks ahead to and asks about, by the hash of their ids. Whoever
// else takes one does no harm: the database says who fires it.

export interface Slice {
  /** From 0. */
  readonly index: number;
  /** How many there are. */
  readonly of: number;
}

/** All of them: of a replica that is alone, or does not beat. */
export const WHOLE: Slice = { index: 0, of: 1 };
