// The slice of the sends, by hash of their ids, that one of several replicas looks ahead to and polls. It does no harm if two
// replicas take the same send: the database decides which of them fires it.

export interface Slice {
  /** From 0. */
  readonly index: number;
  /** The number of slices. */
  readonly of: number;
}

/** All sends: the slice of a replica that is alone, or writes no heartbeat. */
export const WHOLE: Slice = { index: 0, of: 1 };
