// Says when a service of the demo ends by itself (killed, out of memory): nothing starts it again, and the others wait for it.
import { relative } from 'node:path';
import type { House } from '../house.js';

/** Reports until the returned function is called. Call that before the house is closed, because closing ends all services. */
export function reportEnded({ services }: House, say: (sentence: string) => void): () => void {
  const { postgres, kafka, pushService, scheduler } = services;
  let isOver = false;
  const report = async (name: string, service: Service): Promise<void> => {
    const how = await service.ended();
    if (isOver) return;
    const log = relative(process.cwd(), service.logFile);
    say(`${name} has ended (${how}), and nothing starts it again: see ${log}, then start the demo anew`);
  };
  void report('PostgreSQL', postgres);
  if (kafka !== undefined) void report('Kafka', kafka);
  void report('the push service', pushService);
  void report('the scheduler', scheduler);
  return () => {
    isOver = true;
  };
}

interface Service {
  readonly logFile: string;
  /** Resolves once its process is gone, with a few words on how. */
  ended(): Promise<string>;
}
