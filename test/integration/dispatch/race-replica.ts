// One replica of the race: a process, and a way to the database of its own, on which the spec meets it as it fires.
import { AnswerLosingProxy, type Fate } from '../../support/answer-losing-proxy.js';
import { eventually } from '../../support/eventually.js';
import { sendStatementOf } from '../../support/send-statements.js';
import { Dispatcher } from '../../support/scheduler/dispatcher.js';
import type { ProcessSettings } from '../../compiled/dispatcher-process.js';

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

  /** Acts, and ends, as a `fire` of it is met on its way: the database has not seen it yet. */
  async atNextFire(act: () => Fate | void): Promise<void> {
    let isMet = false;
    this.acts.push(() => {
      isMet = true;
      return act() ?? undefined;
    });
    await eventually(() => isMet, { everyMs: 2 });
  }

  /** In the midst of whatever it does. */
  crash(): void {
    this.#isAlive = false;
    void this.end('kill');
  }

  async end(signal: 'kill' | 'stop'): Promise<void> {
    await this.dispatcher[signal]();
    await this.proxy.close();
  }
}
