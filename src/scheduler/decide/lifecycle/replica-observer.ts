// Judges which replicas are alive, as one replica sees them by the heartbeats it reads (docs/decisions/0029). Pure: times are
// milliseconds of its own monotonic clock, and a heartbeat is compared only with the one read before.

/** The row of one replica. */
export interface ReplicaBeat {
  readonly id: string;
  /** The database's time as text: a different value is a new heartbeat. */
  readonly beat: string;
}

/** When the rows were read, by the observer's monotonic clock. */
interface ReadingTime {
  readonly startedAt: number;
  readonly endedAt: number;
}

interface Seen {
  readonly beat: string;
  /** When this heartbeat was first read, in the current run of reads without a break. */
  readonly since: number;
  readonly isDead: boolean;
}

export class ReplicaObserver {
  #seen = new Map<string, Seen>();
  /** Undefined after a break: the next read starts a new run. */
  #lastReadAt: number | undefined;

  constructor(
    private readonly own: string,
    /** T: a replica that is silent for this long counts as dead. */
    private readonly silentMs: number,
  ) {}

  /**
   * Judges the rows that our own successful heartbeat read. Returns whether a replica is newly gone: dead, or its row was deleted.
   * After a break it judges every replica anew, because perhaps nobody could reach the database meanwhile.
   */
  read(rows: readonly ReplicaBeat[], { startedAt, endedAt }: ReadingTime): boolean {
    const follows = this.#lastReadAt !== undefined && endedAt - this.#lastReadAt <= this.silentMs / 2;
    this.#lastReadAt = endedAt;
    const others = rows.filter(({ id }) => id !== this.own);
    const seen = new Map(
      others.map((row) => [row.id, this.#judge(row, follows, { startedAt, endedAt })] as const),
    );
    const gone = [...this.#seen].some(([id, { isDead }]) => !isDead && seen.get(id)?.isDead !== false);
    this.#seen = seen;
    return gone;
  }

  /** To be called when our own heartbeat failed: those of others may have failed too. */
  missed(): void {
    this.#lastReadAt = undefined;
  }

  /** In order of id, including ourselves. */
  get live(): string[] {
    const others = [...this.#seen].filter(([, { isDead }]) => !isDead).map(([id]) => id);
    return [...others, this.own].toSorted();
  }

  /** The dead replicas, each with its last heartbeat. A new heartbeat makes it live again. */
  get dead(): ReplicaBeat[] {
    return [...this.#seen].filter(([, { isDead }]) => isDead).map(([id, { beat }]) => ({ id, beat }));
  }

  #judge({ id, beat }: ReplicaBeat, follows: boolean, { startedAt, endedAt }: ReadingTime): Seen {
    const before = this.#seen.get(id);
    if (before?.beat !== beat) return { beat, since: endedAt, isDead: false };
    if (before.isDead) return before;
    if (!follows) return { beat, since: endedAt, isDead: false };
    return { ...before, isDead: startedAt - before.since >= this.silentMs };
  }
}
