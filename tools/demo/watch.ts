// Follows the demo's campaigns over the scheduler's API until each has ended, shows every change of a send,
// and does the steps that the examples ask of an operator.
import { CLOSED_CAMPAIGN } from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import { scheduler as timers } from 'node:timers/promises';
import { z } from 'zod';
import type { Example } from './examples.js';

const Page = <Item extends z.ZodType>(item: Item) =>
  z.object({ items: z.array(item), nextCursor: z.string().nullable() });

const CampaignRow = z.object({
  id: z.string(),
  serviceId: z.string(),
  campaignId: z.string(),
  state: z.string(),
  code: z.string().nullable(),
  detail: z.string().nullable(),
});

const SendRow = z.object({
  id: z.string(),
  zone: z.string().nullable(),
  state: z.string(),
  code: z.string().nullable(),
  mode: z.string(),
  newest: z.boolean(),
  requestId: z.string().nullable(),
  scheduleCode: z.string().nullable(),
  retryOf: z.string().nullable(),
});
export type SendRow = z.output<typeof SendRow>;

export interface Watched {
  example: Example;
  /** Ours; undefined until the scheduler has taken the event. */
  id: string | undefined;
  state: string;
  sends: readonly SendRow[];
}

export interface WatchDeps {
  /** GET of the scheduler's API with an operator's token. */
  get: (path: string) => Promise<unknown>;
  /** What an operator does for a step, once; called with the send that asks for it. Returns a sentence of it. */
  steps: {
    'fire-schedule': (send: SendRow, example: Example) => Promise<string>;
    cancel: (example: Example) => Promise<string>;
    'retry-failed': (send: SendRow) => Promise<string>;
  };
  /** Whether the report says that nothing is open. */
  isFinal: (campaign: string) => Promise<boolean>;
  say: (sentence: string) => void;
  /** Called at every poll with what the demo waits for; '' once it waits for nothing. */
  wait: (sentence: string) => void;
  /** Real milliseconds after which it gives up. */
  withinMs: number;
}

const ENDED: ReadonlySet<string> = new Set(CLOSED_CAMPAIGN);
const LOOK_EVERY_MS = 500;

/** Returns once every campaign has ended and nothing of it is open, or the time is over. */
export async function watch(examples: readonly Example[], deps: WatchDeps): Promise<Watched[]> {
  const watchers = examples.map((example) => new Watcher(example, deps));
  const deadline = performance.now() + deps.withinMs;
  while (performance.now() < deadline) {
    const ended = await Promise.all(watchers.map((watcher) => watcher.look()));
    if (ended.every(Boolean)) break;
    deps.wait(
      waitingFor(
        watchers.filter((_, index) => ended[index] !== true),
        watchers.length,
      ),
    );
    await timers.wait(LOOK_EVERY_MS);
  }
  deps.wait('');
  return watchers;
}

function waitingFor(open: readonly Watched[], all: number): string {
  const names = open.map(({ example, state }) => `${example.event.subject} (${state})`);
  return `waiting for ${open.length} of ${all} campaigns: ${names.join(', ')}`;
}

class Watcher implements Watched {
  id: string | undefined;
  state = 'published';
  sends: readonly SendRow[] = [];
  readonly #shown = new Map<string, string>();
  readonly #stepsLeft: Set<string>;

  constructor(
    readonly example: Example,
    private readonly deps: WatchDeps,
  ) {
    this.#stepsLeft = new Set(example.expectation.steps);
  }

  /** Polls once. Returns true once the campaign has ended. */
  async look(): Promise<boolean> {
    const { subject, data } = this.example.event;
    const query = new URLSearchParams({ serviceId: data.serviceId, campaignId: subject });
    const [row] = Page(CampaignRow).parse(await this.deps.get(`/v1/campaigns?${query.toString()}`)).items;
    if (row === undefined) return false;
    this.id = row.id;
    this.sends = Page(SendRow).parse(await this.deps.get(`/v1/campaigns/${row.id}/sends?limit=500`)).items;
    for (const send of this.sends)
      this.#show(send.id, `${send.zone ?? ''} ${send.mode} send`, send.state, send.code);
    this.#show(row.id, 'campaign', row.state, row.code);
    this.state = row.state;
    await this.#doSteps();
    return ENDED.has(row.state) && this.#stepsLeft.size === 0 && (await this.deps.isFinal(row.id));
  }

  #show(key: string, what: string, state: string, code: string | null): void {
    if (this.#shown.get(key) === state) return;
    this.#shown.set(key, state);
    const why = code === null ? '' : ` (${code})`;
    this.deps.say(`${this.example.event.subject.padEnd(24)} ${what.trim()} is ${state}${why}`);
  }

  async #doSteps(): Promise<void> {
    const { steps } = this.deps;
    const standing = this.sends.find((send) => send.state === 'scheduled');
    const failed = this.sends.find((send) => send.newest && send.state === 'failed');
    if (standing !== undefined && this.#stepsLeft.delete('fire-schedule')) {
      this.#done(await steps['fire-schedule'](standing, this.example));
    } else if (standing !== undefined && this.#stepsLeft.delete('cancel')) {
      this.#done(await steps.cancel(this.example));
    }
    if (failed !== undefined && this.#stepsLeft.delete('retry-failed'))
      this.#done(await steps['retry-failed'](failed));
  }

  #done(sentence: string): void {
    this.deps.say(`${this.example.event.subject.padEnd(24)} ${sentence}`);
  }
}
