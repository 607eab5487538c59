// What leaves next, over all projects: in turns, of each as many at a time as it weighs, until none has anything that
// may leave (life-of-a-send.md, "Order and fairness"). Of one project its lane says which.
import type { Lane, QueuedSend } from './project-queue.js';

/** At most `most` sends, in the order they leave. `now` on the wall clock, `elapsed` on the real one. */
export function takeInTurns(
  lanes: Iterable<Pick<Lane, 'take' | 'weight'>>,
  most: number,
  now: number,
  elapsed: number,
): QueuedSend[] {
  const leaving: QueuedSend[] = [];
  let open = [...lanes];
  while (open.length > 0 && leaving.length < most) {
    open = open.filter((lane) => {
      for (let turn = 0; turn < lane.weight; turn += 1) {
        const next = leaving.length < most ? lane.take(now, elapsed) : undefined;
        if (next === undefined) return false;
        leaving.push(next);
      }
      return true;
    });
  }
  return leaving;
}
