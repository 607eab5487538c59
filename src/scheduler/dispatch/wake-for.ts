// When the dispatcher looks at its queues again by itself: at the earliest instant at which something may be fired, its
// own or the end of what holds it back.
import type { Clock } from '../../platform/clock.js';
import type { ProjectQueue } from './project-queue.js';
import { FIRE_AHEAD_MS } from './leave-on-time.js';

/** Returns the cancel of what it set. */
export function wakeFor(
  queues: Iterable<Pick<ProjectQueue, 'due' | 'waitMs'>>,
  clock: Clock,
  wake: () => void,
): () => void {
  const now = clock.now();
  const elapsed = clock.elapsed();
  const heads: number[] = [];
  const waits: number[] = [];
  for (const queue of queues) {
    const head = queue.due.peek();
    if (head !== undefined && head.at > now + FIRE_AHEAD_MS) heads.push(head.at - FIRE_AHEAD_MS);
    const wait = queue.waitMs(now, elapsed);
    if (wait !== undefined) waits.push(wait);
  }
  const disarms: (() => void)[] = [];
  if (heads.length > 0) disarms.push(clock.at(Math.min(...heads), wake));
  if (waits.length > 0) {
    const timer = setTimeout(wake, Math.max(1, Math.min(...waits)));
    disarms.push(() => clearTimeout(timer));
  }
  return () => {
    for (const disarm of disarms) disarm();
  };
}
