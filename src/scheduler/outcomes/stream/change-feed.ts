// What this process has heard of changes lately: gathers announcements for a moment, merges those of one subject, and gives them to
// its readers as one batch. Keeps the last batches, so that a reader whose connection was cut goes on behind the last id it saw.
import { randomUUID } from 'node:crypto';
import { Announcement, Change } from '../../store/change.store.js';
import { addChange } from './merge-changes.js';

export interface Batch {
  /** Opaque: the last announcement in it. PostgreSQL gives every process the same announcements in the same order. */
  readonly id: string;
  readonly changes: readonly Change[];
}

/** How long changes are gathered, real milliseconds: so a subject has at most four events a second. */
const GATHER_MS = 250;
/** At least eight minutes of batches, and no more changes than some megabytes. */
const MOST_KEPT = { batches: 2_000, changes: 20_000 };

export class ChangeFeed {
  /** Called with each batch; undefined: announcements may be lost, so readers must read everything anew. */
  readonly #readers = new Set<(batch: Batch | undefined) => void>();
  readonly #kept: Batch[] = [];
  #keptChanges = 0;
  /** The batch after which a reader goes on that has seen this announcement last: its number, counted from the first of all. */
  readonly #numberOf = new Map<string, number>();
  /** How many batches were forgotten. */
  #forgotten = 0;
  #waiting = new Map<string, Change>();
  #waitingIds: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  #lastId = randomUUID() as string;

  constructor(private readonly gatherMs = GATHER_MS) {
    this.#numberOf.set(this.#lastId, 0);
  }

  /** The id behind everything that readers have got. */
  get lastId(): string {
    return this.#lastId;
  }

  /** The payload of one NOTIFY. What cannot be read is of another release, and is passed over. */
  take(payload: string): void {
    const { id, changes } = read(payload);
    if (id === undefined) return;
    for (const change of changes) addChange(this.#waiting, change);
    this.#waitingIds.push(id);
    this.#timer ??= setTimeout(() => this.#give(), this.gatherMs);
  }

  /** The connection that listens is a new one: nobody knows what was announced before. */
  lost(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#kept.length = 0;
    this.#keptChanges = 0;
    this.#forgotten = 0;
    this.#numberOf.clear();
    this.#waiting = new Map();
    this.#waitingIds = [];
    this.#lastId = randomUUID();
    this.#numberOf.set(this.#lastId, 0);
    for (const reader of this.#readers) reader(undefined);
  }

  /** Returns a function that ends it. */
  read(reader: (batch: Batch | undefined) => void): () => void {
    this.#readers.add(reader);
    return () => void this.#readers.delete(reader);
  }

  /** Everything behind that id, merged; undefined: it is not kept any more, or another process gave it. */
  since(id: string): Batch | undefined {
    const number = this.#numberOf.get(id);
    if (number === undefined || number < this.#forgotten) return undefined;
    const merged = new Map<string, Change>();
    for (const { changes } of this.#kept.slice(number - this.#forgotten))
      for (const change of changes) addChange(merged, change);
    return { id: this.#lastId, changes: [...merged.values()] };
  }

  #give(): void {
    this.#timer = undefined;
    const ids = this.#waitingIds;
    const batch = { id: ids.at(-1) ?? this.#lastId, changes: [...this.#waiting.values()] };
    this.#waiting = new Map();
    this.#waitingIds = [];
    this.#kept.push(batch);
    this.#keptChanges += batch.changes.length;
    const next = this.#forgotten + this.#kept.length;
    // Another process may have given some of these alone: a reader that comes from there gets the whole batch again.
    for (const id of ids) this.#numberOf.set(id, id === batch.id ? next : next - 1);
    this.#lastId = batch.id;
    this.#forget();
    for (const reader of this.#readers) reader(batch);
  }

  #forget(): void {
    while (this.#kept.length > MOST_KEPT.batches || this.#keptChanges > MOST_KEPT.changes) {
      this.#keptChanges -= this.#kept.shift()?.changes.length ?? 0;
      this.#forgotten += 1;
    }
    // The oldest first, because a Map keeps the order in which its keys came.
    for (const [id, number] of this.#numberOf) {
      if (number >= this.#forgotten) break;
      this.#numberOf.delete(id);
    }
  }
}

function read(payload: string): { readonly id?: string; readonly changes: readonly Change[] } {
  try {
    const { id, changes } = Announcement.parse(JSON.parse(payload));
    return { id, changes: changes.flatMap((one) => Change.safeParse(one).data ?? []) };
  } catch {
    return { changes: [] };
  }
}
