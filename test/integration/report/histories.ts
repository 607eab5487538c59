// Random lives of sends, by a seed: births, arrows of the lifecycle, retries, ends of occurrences; and what a report has to say of
// them, counted anew in TypeScript from the rows as they stand.
import { v7 } from 'uuid';
import {
  allArrows,
  ENDED_STATES,
  RETRYABLE_STATES,
  SEND_TERMS,
  statesOfTerm,
  type SendState,
} from '../../../src/scheduler/decide/lifecycle/send-state.js';
import { insertRetries } from '../../../src/scheduler/store/send/retry.store.js';
import type { Figures } from '../../support/scheduler/report-figures.js';
import { randomOf } from '../../support/seeded.js';
import { START, type World } from '../../support/scheduler/world.js';

export const MINUTE_MS = 60_000;
const ZONES = ['UTC', 'Asia/Seoul', 'America/New_York'];
const CODES = [null, 'LATE', 'FAIL', 'NO_FINAL_STATUS'];
/** Where most sends go. */
const ONWARD: readonly SendState[] = [
  'sending',
  'accepted',
  'reserved',
  'scheduled',
  'sent',
  'failed',
  'stale',
];
const RESULTS: readonly SendState[] = ['sent', 'failed', 'empty', 'stale'];

export interface KeptSend {
  readonly id: string;
  readonly service_id: string;
  readonly campaign: string;
  readonly zone: string;
  readonly state: SendState;
  readonly code: string | null;
  readonly mode: string;
  readonly retry_of: string | null;
  readonly request_id: string | null;
  readonly due: Date | null;
  readonly intended_at: Date | null;
  readonly answered_at: Date | null;
  readonly complete_time: Date | null;
  readonly target: number;
  readonly sent: number;
}

export class Histories {
  readonly chance: () => number;
  /** Whose occurrence has not ended. */
  readonly #campaigns: string[] = [];
  #chunk = 0;

  constructor(
    private readonly world: World,
    seed: number,
  ) {
    this.chance = randomOf(seed);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[Math.floor(this.chance() * items.length)];
    if (item === undefined) throw new Error('nothing to pick from');
    return item;
  }

  async step(): Promise<void> {
    const dice = this.chance();
    if (dice < 0.12 || this.#campaigns.length === 0) return this.#birth();
    if (dice < 0.22) return this.#endOccurrence();
    if (dice < 0.3) return this.#retry();
    return this.#move();
  }

  async #birth(): Promise<void> {
    if (this.chance() < 0.4 || this.#campaigns.length === 0)
      this.#campaigns.push(await this.world.campaign({ zone: this.pick(ZONES) }));
    const campaign = this.pick(this.#campaigns);
    const mode = this.pick(['immediate', 'immediate', 'reserved', 'scheduled'] as const);
    this.#chunk += 1;
    // Some of another hour.
    const dueAt = START + Math.floor(((this.#chunk % 4 === 0 ? 61 : 0) + this.chance() * 4) * MINUTE_MS);
    if (this.chance() < 0.2) return this.#bornEnded(campaign, dueAt);
    const intended = new Date(dueAt - (this.chance() < 0.5 ? 0 : Math.floor(this.chance() * 90_000)));
    const columns = mode === 'scheduled' ? {} : { intended_at: intended };
    await this.world.send({ campaign, mode, dueAt, chunk: this.#chunk, columns });
  }

  async #bornEnded(campaign: string, dueAt: number): Promise<void> {
    const state = this.pick(['skipped', 'expired']);
    await this.world.dataSource.query(
      `insert into send (id, ended_at, service_id, campaign, revision, occurrence, cell, chunk, state, code, state_at, state_by, mode, mode_rule,
                         intended_at, due_at, created_at)
       select $1, $5, c.service_id, c.id, 1, 'once', 'cell', $3, $4, 'QUIET_HOURS', $5, 'spec', 'immediate', 'DUE_NOW', $6, $6, $5
         from campaign c where c.id = $2`,
      [v7(), campaign, this.#chunk, state, new Date(START), new Date(dueAt)],
    );
  }

  /** Any arrow, with what an answer or a result would write. */
  async #move(): Promise<void> {
    const open = (await this.sends()).filter(({ state }) => !ENDED_STATES.includes(state));
    if (open.length === 0) return;
    const { id, state, mode } = this.pick(open);
    // What is taken as a reservation, or under a code, was handed off so.
    const taken = mode === 'immediate' ? 'accepted' : mode;
    const fits = (next: SendState): boolean =>
      !['reserved', 'scheduled', ...(state === 'sending' ? ['accepted'] : [])].includes(next) ||
      next === taken;
    const arrows = allArrows().filter(([from, next]) => from === state && fits(next));
    const onward = arrows.filter(([, next]) => ONWARD.includes(next));
    const to = this.pick(onward.length > 0 && this.chance() < 0.6 ? onward : arrows)[1];
    const at = START + 5_000 + Math.floor(this.chance() ** 4 * 3_600_000);
    const answered = ['accepted', 'reserved', 'scheduled'].includes(to) && state === 'sending';
    // Some targets are known before the result is.
    const result = RESULTS.includes(to) || this.chance() < 0.4;
    const target = to === 'empty' ? 0 : Math.floor(this.chance() * 50);
    // One that ends superseded without another in its place is counted down in its cell: here it stays a chunk of it.
    if (to === 'superseded')
      await this.world.dataSource.query(
        `update cell c set chunks = c.chunks + 1 from send s
          where s.id = $1 and c.campaign = s.campaign and c.occurrence = s.occurrence and c.cell = s.cell`,
        [id],
      );
    await this.world.dataSource.query(
      `update send set state = $2::text, changes = changes + 1, state_at = $3, state_by = 'spec', code = $4,
              answered_at = case when $5 then $6::timestamptz else answered_at end,
              handed_off_at = case when $5 then $6::timestamptz else handed_off_at end,
              request_id = case when $5 then 'r' else request_id end,
              target_count = case when $7 then $8::int else target_count end,
              sent_count = case when $7 then $9::int else sent_count end,
              complete_time = case when $7 and $2::text <> 'uncertain' then $6::timestamptz else complete_time end
        where id = $1`,
      [
        id,
        to,
        new Date(START),
        this.pick(CODES),
        answered,
        new Date(at),
        result,
        target,
        to === 'sent' ? target : 0,
      ],
    );
  }

  async #retry(): Promise<void> {
    const failed = (await this.sends()).filter(({ state }) => RETRYABLE_STATES.includes(state));
    if (failed.length === 0) return;
    const dueAt = START + 600_000;
    await insertRetries(
      this.world.dataSource,
      [{ of: this.pick(failed).id, id: v7(), dueAt }],
      START,
      'spec',
    );
  }

  /** As the closer does: over what is uncertain too, once nothing else is open. */
  async #endOccurrence(): Promise<void> {
    const open = (await this.sends()).filter(
      ({ state }) => !ENDED_STATES.includes(state) && state !== 'uncertain',
    );
    const over = this.#campaigns.filter((id) => !open.some(({ campaign }) => campaign === id));
    if (over.length === 0) return;
    const campaign = this.pick(over);
    // It never opens again, whatever becomes of what was uncertain, or is retried.
    this.#campaigns.splice(this.#campaigns.indexOf(campaign), 1);
    await this.world.dataSource.query("update occurrence set state = 'completed' where campaign = $1", [
      campaign,
    ]);
  }

  /** The newest of each chunk, but those that were superseded. */
  async sends(): Promise<KeptSend[]> {
    return this.world.dataSource.query<KeptSend>(
      `select s.*, k.zone, coalesce(s.first_due, s.due_at) as due, coalesce(s.target_count, 0) as target, coalesce(s.sent_count, 0) as sent
         from send s join cell k using (campaign, occurrence, cell) where s.next_send is null and s.state <> 'superseded' order by s.id`,
    );
  }
}

/** Terms and devices of these sends, in the form of test/support/scheduler/report-figures.ts. */
export function figuresOf(sends: readonly KeptSend[]): Figures {
  const sums: Record<string, number> = {};
  const add = (name: string, number: number): void => {
    if (number !== 0) sums[name] = (sums[name] ?? 0) + number;
  };
  for (const { state, mode, target, sent } of sends) {
    add('planned', 1);
    add(`sends.${SEND_TERMS.find((term) => statesOfTerm(term).includes(state)) ?? 'none'}`, 1);
    add('devices.target', target);
    const fires = mode === 'scheduled' && ['scheduled', 'canceling'].includes(state);
    if (state === 'uncertain') add('devices.unknown', target);
    else if (ENDED_STATES.includes(state) || fires) {
      add('devices.sent', sent);
      add('devices.failed', Math.max(0, target - sent));
    } else add('devices.pending', target);
  }
  return sums;
}

/** Of each kind, in order. */
export function lengthsOf(sends: readonly KeptSend[]): Record<string, number[]> {
  const kinds: Record<string, number[]> = {};
  const add = (kind: string, from: Date | null, to: Date | null): void => {
    if (from !== null && to !== null) (kinds[kind] ??= []).push(to.getTime() - from.getTime());
  };
  for (const send of sends) {
    const {
      mode,
      retry_of: of,
      due,
      answered_at: answered,
      complete_time: completed,
      intended_at: intended,
    } = send;
    if (mode === 'immediate' && of === null && send.request_id !== null) add('immediate', due, answered);
    if (mode === 'reserved' && of === null) add('reserved', due, completed);
    if (due !== null && intended !== null && due > intended) add('deferral', intended, due);
    if (of !== null && send.state === 'sent')
      add('recovered', due, mode === 'reserved' ? completed : answered);
  }
  for (const lengths of Object.values(kinds)) lengths.sort((a, b) => a - b);
  return kinds;
}
