// One project's sends that were looked ahead to, in the order in which they leave. Those that are due come first. Among these the
// campaigns take turns, so that a campaign with a thousand late sends does not delay the others. Within a campaign the earliest is
// first.
import TinyQueue from 'tinyqueue';

export interface Due {
  readonly id: string;
  readonly chunk: number;
  /** When it is to be fired. */
  readonly at: number;
}

export interface Queued extends Due {
  readonly campaign: string;
}

/** By instant; then the first chunks of all cells before the second ones; then by id. */
export function leavesBefore(a: Due, b: Due): number {
  return a.at - b.at || a.chunk - b.chunk || (a.id < b.id ? -1 : 1);
}

export class TurnQueue<Entry extends Queued> {
  readonly #ahead = new TinyQueue<Entry>([], leavesBefore);
  /** Due sends by campaign, in the order of their turns. None of these queues is empty. */
  readonly #due = new Map<string, TinyQueue<Entry>>();
  #dueCount = 0;

  get size(): number {
    return this.#ahead.length + this.#dueCount;
  }

  /** The caller never adds a send that is already in it. */
  push(entry: Entry): void {
    this.#ahead.push(entry);
  }

  /** The first send of the campaign whose turn it is, or an earlier one that was not due at the last next(). */
  peek(): Entry | undefined {
    const [turn, ahead] = [this.#turn()?.peek(), this.#ahead.peek()];
    return turn === undefined || (ahead !== undefined && ahead.at < turn.at) ? ahead : turn;
  }

  /** The send that leaves next, if one is due at `now`. */
  next(now: number): Entry | undefined {
    const stale = this.#turn()?.peek();
    // The clock was set back: sends that were due wait again.
    if (stale !== undefined && stale.at > now) this.#putBack();
    for (let head = this.#ahead.peek(); head !== undefined && head.at <= now; head = this.#ahead.peek()) {
      this.#ahead.pop();
      this.#addDue(head);
    }
    return this.#turn()?.peek();
  }

  /** Takes the send that leaves next. */
  take(now: number): Entry | undefined {
    const next = this.next(now);
    const turn = this.#turn();
    if (turn === undefined || next === undefined) return undefined;
    turn.pop();
    this.#dueCount -= 1;
    this.#due.delete(next.campaign);
    if (turn.length > 0) this.#due.set(next.campaign, turn);
    return next;
  }

  #turn(): TinyQueue<Entry> | undefined {
    const [first] = this.#due.values();
    return first;
  }

  #putBack(): void {
    for (const queue of this.#due.values())
      for (let next = queue.pop(); next !== undefined; next = queue.pop()) this.#ahead.push(next);
    this.#due.clear();
    this.#dueCount = 0;
  }

  #addDue(entry: Entry): void {
    const queue = this.#due.get(entry.campaign) ?? new TinyQueue<Entry>([], leavesBefore);
    queue.push(entry);
    this.#due.set(entry.campaign, queue);
    this.#dueCount += 1;
  }
}
