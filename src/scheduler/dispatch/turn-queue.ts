// The sends of one project that were looked ahead to, in the order they leave: those that are due come first; among them the
// campaigns take turns, so that a thousand late sends of one keep no other's waiting; within a campaign the earliest first.
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

/** By instant, then first chunks of every cell before second ones, then by id. */
export function leavesBefore(a: Due, b: Due): number {
  return a.at - b.at || a.chunk - b.chunk || (a.id < b.id ? -1 : 1);
}

export class TurnQueue<Entry extends Queued> {
  readonly #ahead = new TinyQueue<Entry>([], leavesBefore);
  /** Due sends by campaign. No queue is empty, and the next turn is the first one's. */
  readonly #due = new Map<string, TinyQueue<Entry>>();
  #dueCount = 0;

  get size(): number {
    return this.#ahead.length + this.#dueCount;
  }

  /** The caller sees to it that no send is in it twice. */
  push(entry: Entry): void {
    this.#ahead.push(entry);
  }

  /** The first of the campaign whose turn it is, or an earlier one that was not due yet. */
  peek(): Entry | undefined {
    const [turn, ahead] = [this.#turn()?.peek(), this.#ahead.peek()];
    return turn === undefined || (ahead !== undefined && ahead.at < turn.at) ? ahead : turn;
  }

  /** The one to leave next, if one is due at `now`. */
  next(now: number): Entry | undefined {
    const stale = this.#turn()?.peek();
    // The clock was set back: what was due waits again.
    if (stale !== undefined && stale.at > now) this.#putBack();
    for (let head = this.#ahead.peek(); head !== undefined && head.at <= now; head = this.#ahead.peek()) {
      this.#ahead.pop();
      this.#addDue(head);
    }
    return this.#turn()?.peek();
  }

  /** Takes the one to leave next. */
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
