// SQL for the outcomes that a consumer of the log has not read (docs/decisions/0030).

interface Unread {
  /** Columns of the outcome `e` [none]. */
  readonly columns?: string;
  /** The log, or the partition of a day [send_event]. */
  readonly table?: string;
  /** A further condition on an outcome `e` [none]. */
  readonly which?: string;
  /** The most rows of a gap [1: whether there is any]. */
  readonly most?: number;
}

/** A relation `e` of outcomes that the cursor `c`, a row of outcome_cursor, has not read. Index send_event_position, one probe a gap. */
export const unreadBehind = ({
  columns = '',
  table = 'send_event',
  which = 'true',
  most = 1,
}: Unread): string =>
  `cursor_gaps(c.done) as gap cross join lateral (
     select ${columns} from ${table} e
      where ${which} and e.shard = c.shard and e.position >= gap.low and e.position < gap.high
      order by e.position limit ${most}) e`;
