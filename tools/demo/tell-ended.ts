// Says when a part of the demo ends by itself (killed, out of memory): nothing starts it again, and the others wait for it.
import { relative } from 'node:path';
import type { House } from '../house.js';

/** Tells until the returned function is called: before the house is closed, which ends all of them. */
export function tellEnded({ services }: House, say: (sentence: string) => void): () => void {
  const { postgres, kafka, pushService, scheduler } = services;
  let isOver = false;
  const tell = async (name: string, part: Part): Promise<void> => {
    const how = await part.ended();
    if (isOver) return;
    const log = relative(process.cwd(), part.logFile);
    say(`${name} has ended (${how}), and nothing starts it again: see ${log}, then start the demo anew`);
  };
  void tell('PostgreSQL', postgres);
  if (kafka !== undefined) void tell('Kafka', kafka);
  void tell('the push service', pushService);
  void tell('the scheduler', scheduler);
  return () => {
    isOver = true;
  };
}

interface Part {
  readonly logFile: string;
  /** Resolves once its process is gone, with a few words on how. */
  ended(): Promise<string>;
}
