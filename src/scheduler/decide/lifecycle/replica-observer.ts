// Which replicas live, as one of them judges from the beats it reads (docs/decisions/0029). Pure: lengths of time come in
// as milliseconds of its own monotonic clock, and beats are compared with nothing but the beats read before.

/** What one replica's row said. */
export interface ReplicaBeat {
  readonly id: string;
  /** Of the database's clock, as text: another value is another beat. */
  readonly beat: string;
}

/** By the observer's own monotonic clock. */
export interface ReadingTime {
  readonly startedAt: number;
  readonly endedAt: number;
}

interface Seen {
  readonly beat: string;
  /** Read first at this time, of the reads that followed each other without a break. */
  readonly since: number;
  readonly isDead: boolean;
}

export class ReplicaObserver {
  #seen = new Map<string, Seen>();
  /** undefined: the reads before are not followed on. */
  #lastReadAt: number | undefined;

  constructor(
    private readonly own: string,
    /** T: who is silent for so long is dead. */
    private readonly silentMs: number,
  ) {}

  /**
   * A beat of our own that succeeded and the rows it read. Returns whether somebody is newly gone: dead, or its row deleted.
   * Who was seen is judged anew after a break: nobody may have reached the database meanwhile.
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

  /** A beat of our own failed, so the others' may have. */
  missed(): void {
    this.#lastReadAt = undefined;
  }

  /** In order of id, ourselves among them. */
  get live(): string[] {
    const others = [...this.#seen].filter(([, { isDead }]) => !isDead).map(([id]) => id);
    return [...others, this.own].toSorted();
  }

  /** Each with its last beat: with another one it lives again. */
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
