// Takes records of the topic recipient.zones: each says one user's zone, and what is older loses, so that records may come twice or
// out of order. A record that cannot be taken is counted, told in the log and passed over: the next one of its user mends it.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import type { Log } from '../../../platform/logging/log.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { isNamed } from '../../decide/source-patterns.js';
import { writeZones, type SaidZone } from '../../store/recipient-zone.store.js';
import type { RecordIntake } from '../events.consumer.js';
import { intakeProjects } from '../inbox.store.js';
import { nameOf } from '../judge-batch.js';
import type { RawEvent } from '../parse/raw-event.js';
import { readZoneEvent } from '../parse/zone-event.js';
import { lockPartition } from '../partition-place.store.js';

interface TakeZonesDeps {
  readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Pick<Log, 'warn'>;
  /** Called with the code of each record that was passed over, once its chunk is kept. */
  readonly refused: (code: string) => void;
}

interface Refused {
  readonly raw: RawEvent;
  readonly code: string;
  readonly text: string;
}

export class TakeZones implements RecordIntake {
  constructor(private readonly deps: TakeZonesDeps) {}

  async accept(raws: readonly RawEvent[], within: Parameters<RecordIntake['accept']>[1]): Promise<void> {
    const refused = await this.deps.inTransaction(async (sql) => {
      await within.before(sql, raws);
      const record = raws[0]?.record;
      if (record !== undefined) await lockPartition(sql, record);
      const passedOver = await this.#take(sql, raws);
      await within.after(sql, undefined, raws);
      return passedOver;
    });
    for (const { code } of refused) this.deps.refused(code);
    const [first] = refused;
    if (first === undefined) return;
    // One line for each chunk, and nothing of what it says of a user.
    const { code, text, raw } = first;
    this.deps.log.warn(
      { ...raw.record, code, why: text, count: refused.length },
      'records of zones were passed over',
    );
  }

  async #take(sql: Sql, raws: readonly RawEvent[]): Promise<Refused[]> {
    const { clock, rules } = this.deps;
    const facts = { now: clock.now(), rules };
    const read = raws.map((raw) => ({ raw, read: readZoneEvent(raw, facts) }));
    const services = read.flatMap(({ read: one }) => (one.kind === 'said' ? [one.said.serviceId] : []));
    const projects = await intakeProjects(sql, services);
    const refused: Refused[] = [];
    const newest = new Map<string, SaidZone>();
    for (const { raw, read: one } of read) {
      if (one.kind === 'refused') {
        const [first] = one.reasons;
        refused.push({
          raw,
          code: first?.code ?? 'UNREADABLE',
          text: `${first?.pointer ?? ''} ${first?.text ?? ''}`,
        });
        continue;
      }
      const { said, source } = one;
      const project = projects.get(said.serviceId);
      if (project === undefined)
        refused.push({ raw, code: 'UNKNOWN_SERVICE', text: 'there is no such push project' });
      else if (!isNamed(source, project.sources))
        refused.push({
          raw,
          code: 'SOURCE_NOT_ALLOWED',
          text: 'the project takes nothing of this source from Kafka',
        });
      else {
        const name = nameOf(said.serviceId, said.userId);
        const before = newest.get(name);
        if (before === undefined || before.saidAt <= said.saidAt) newest.set(name, said);
      }
    }
    await writeZones(sql, [...newest.values()]);
    return refused;
  }
}
