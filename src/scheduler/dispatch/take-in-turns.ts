// What leaves next, over all projects: in turns, of each as many at a time as it weighs, until none has anything that
// may leave (life-of-a-send.md, "Order and fairness"). Of one project its queue says which.
import type { ProjectQueue, QueuedSend } from './project-queue.js';

/** At most `most` sends, in the order they leave. `now` on the wall clock, `elapsed` on the real one. */
export function takeInTurns(
  queues: Iterable<Pick<ProjectQueue, 'take' | 'weight'>>,
  most: number,
  now: number,
  elapsed: number,
): QueuedSend[] {
  const leaving: QueuedSend[] = [];
  let open = [...queues];
  while (open.length > 0 && leaving.length < most) {
    open = open.filter((queue) => {
      for (let turn = 0; turn < queue.weight; turn += 1) {
        const next = leaving.length < most ? queue.take(now, elapsed) : undefined;
        if (next === undefined) return false;
        leaving.push(next);
      }
      return true;
    });
  }
  return leaving;
}
