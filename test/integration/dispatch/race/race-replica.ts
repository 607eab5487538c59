// One replica of the race: a process with its own proxy to the database, where the spec can catch its fires.
import { AnswerLosingProxy, type Fate } from '../../../support/postgres/answer-losing-proxy.js';
import { eventually } from '../../../support/eventually.js';
import { sendStatementOf } from '../../../support/postgres/send-statements.js';
import { Dispatcher } from '../../../support/scheduler/dispatcher.js';
import type { ProcessSettings } from '../../../compiled/dispatcher-process.js';

type Act = () => Fate;

export class RaceReplica {
  #isAlive = true;

  private constructor(
    readonly dispatcher: Dispatcher,
    readonly proxy: AnswerLosingProxy<'fire'>,
    private readonly acts: Act[],
  ) {}

  static async start(settings: ProcessSettings): Promise<RaceReplica> {
    const acts: Act[] = [];
    const proxy = await AnswerLosingProxy.inFrontOf(settings.url, {
      nameOf: (text) => (sendStatementOf(text) === 'fire' ? 'fire' : undefined),
      fateOf: () => acts.shift()?.(),
    });
    return new RaceReplica(await Dispatcher.start({ ...settings, url: proxy.url }), proxy, acts);
  }

  get isAlive(): boolean {
    return this.#isAlive;
  }

  get by(): string {
    return this.dispatcher.by;
  }

  /** Runs `act` when the proxy has a `fire` of it that the database has not got yet. */
  async atNextFire(act: () => Fate | void): Promise<void> {
    let isMet = false;
    this.acts.push(() => {
      isMet = true;
      return act() ?? undefined;
    });
    await eventually(() => isMet, { everyMs: 2 });
  }

  /** At any moment of its work. */
  crash(): void {
    this.#isAlive = false;
    void this.end('kill');
  }

  async end(signal: 'kill' | 'stop'): Promise<void> {
    await this.dispatcher[signal]();
    await this.proxy.close();
  }
}
