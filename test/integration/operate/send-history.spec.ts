// A send's history is a view: whatever becomes of a send, it shows each change once, in order, as it was made.
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sendHistory, type HistoryRow } from '../../../src/scheduler/store/read/campaign.store.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
let arrows: Map<string, string[]>;
beforeAll(async () => {
  world = await World.open();
  await world.project();
  // The next lines walk through the fire of a planned send, with a state in between or without.
  await world.dataSource.query(
    `insert into send_transition values ('planned', 'sending') on conflict do nothing`,
  );
  const rows = await world.dataSource.query<{ from: string; to: string[] }>(
    'select from_state as "from", array_agg(to_state) as "to" from send_transition group by 1',
  );
  arrows = new Map(rows.map(({ from, to }) => [from, to]));
});
afterAll(() => world.close());

/** A small generator of its own, so that a walk that fails can be walked again. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

interface Walk {
  readonly id: string;
  readonly changes: HistoryRow[];
}

interface Step {
  readonly id: string;
  readonly to: string;
  readonly code: string | null;
  readonly at: Date;
  readonly by: string;
  readonly fired: Date | null;
  readonly answered: Date | null;
  readonly mode: string | null;
}

const MOVE = `
update send s set state = g.to_state, changes = s.changes + 1, code = g.code, detail = g.code || ' it is', state_at = g.at,
       state_by = g.by, handed_off_at = coalesce(g.fired, s.handed_off_at), answered_at = coalesce(g.answered, s.answered_at),
       mode = coalesce(g.mode, s.mode)
  from unnest($1::uuid[], $2::text[], $3::text[], $4::timestamptz[], $5::text[], $6::timestamptz[], $7::timestamptz[], $8::text[])
    as g(id, to_state, code, at, by, fired, answered, mode)
 where s.id = g.id`;

async function born(count: number, random: () => number): Promise<Walk[]> {
  const campaign = await world.campaign();
  const walks: Walk[] = [];
  for (let chunk = 0; chunk < count; chunk += 1) {
    const [id, at, by] = [v7(), new Date(START), random() < 0.9 ? 'plan' : 'ops'];
    await world.insert('send', {
      id,
      service_id: SERVICE,
      campaign,
      revision: 1,
      occurrence: 'once',
      cell: 'cell',
      chunk,
      state: 'planned',
      state_at: at,
      state_by: by,
      mode: 'immediate',
      mode_rule: 'DUE_NOW',
      due_at: at,
      next_at: at,
      created_at: random() < 0.9 ? at : new Date(START - 1),
    });
    walks.push({
      id,
      changes: [{ sequence: 1, from: null, to: 'planned', code: null, detail: null, at, by }],
    });
  }
  return walks;
}

const USUAL = ['sending', 'accepted', 'sent'];

/** Mostly as it usually goes, with the columns that go with it; often enough otherwise. */
function stepOf({ id, changes }: Walk, turn: number, random: () => number): Step | undefined {
  const from = changes.at(-1)?.to ?? '';
  const open = arrows.get(from) ?? [];
  if (open.length === 0) return undefined;
  const usual = open.filter((state) => USUAL.includes(state));
  const choice = usual.length > 0 && random() < 0.5 ? usual : open;
  const to = choice[Math.floor(random() * choice.length)] ?? '';
  const at = new Date(START + turn * 1_000 + Math.floor(random() * 100));
  const odd = (): boolean => random() < 0.1;
  const other = new Date(at.getTime() - 7);
  return {
    id,
    to,
    code: odd() || to === 'uncertain' ? 'WHY' : null,
    at,
    by: odd() ? 'ops' : 'dispatch',
    fired: to === 'sending' ? (odd() ? other : at) : odd() ? other : null,
    answered: from === 'sending' ? (odd() ? other : at) : odd() ? other : null,
    mode:
      to === 'sending' || odd()
        ? (['immediate', 'reserved', 'scheduled'][Math.floor(random() * 3)] ?? null)
        : null,
  };
}

async function walk(walks: readonly Walk[], turn: number, random: () => number): Promise<void> {
  const steps = walks.flatMap((one) => stepOf(one, turn, random) ?? []);
  const column = <Value>(of: (step: Step) => Value): Value[] => steps.map(of);
  await world.dataSource.query(MOVE, [
    column(({ id }) => id),
    column(({ to }) => to),
    column(({ code }) => code),
    column(({ at }) => at),
    column(({ by }) => by),
    column(({ fired }) => fired),
    column(({ answered }) => answered),
    column(({ mode }) => mode),
  ]);
  const byId = new Map(walks.map((one) => [one.id, one]));
  for (const { id, to, code, at, by } of steps) {
    const changes = byId.get(id)?.changes ?? [];
    const detail = code === null ? null : `${code} it is`;
    changes.push({
      sequence: changes.length + 1,
      from: changes.at(-1)?.to ?? null,
      to,
      code,
      detail,
      at,
      by,
    });
  }
}

it('shows every change of 300 random lives as it was made', async () => {
  const random = randomFrom(20_270_301);
  const walks = await born(300, random);
  // One that ends superseded is counted down in its cell.
  await world.dataSource.query('update cell set chunks = 300');
  for (let turn = 1; turn <= 12; turn += 1) {
    await walk(walks, turn, random);
    // A repeated request moves no state, but may still overwrite a column.
    await world.dataSource.query(
      `update send set handed_off_at = $1, answered_at = $1, polls = polls + 1
        where id = any($2::uuid[]) and answered_at is not null`,
      [new Date(START + turn * 1_000 + 500), walks.filter(() => random() < 0.1).map(({ id }) => id)],
    );
  }
  const rows = await world.dataSource.query<HistoryRow & { send: string }>(
    `select send, sequence, from_state as "from", to_state as "to", code, detail, at, by from send_history order by send, sequence`,
  );
  const shown = new Map<string, HistoryRow[]>();
  for (const { send, ...row } of rows) shown.set(send, [...(shown.get(send) ?? []), row]);
  for (const { id, changes } of walks) expect(shown.get(id)).toEqual(changes);
  const [one] = walks;
  expect(await sendHistory(world.dataSource, one?.id ?? '')).toEqual(one?.changes);
});

it('keeps no note of a send that is planned, fired, taken and sent', async () => {
  await world.dataSource.query('truncate send_note');
  const [usual] = await born(1, () => 0);
  const id = usual?.id ?? '';
  for (const [index, to] of USUAL.entries()) {
    const at = new Date(START + 1_000 * (index + 1));
    const when = [[to === 'sending' ? at : null], [to === 'accepted' ? at : null]];
    await world.dataSource.query(MOVE, [
      [id],
      [to],
      [null],
      [at],
      [to === 'sent' ? 'follow' : 'dispatch'],
      ...when,
      [null],
    ]);
  }
  expect(await world.dataSource.query('select * from send_note')).toEqual([]);
  expect(
    (await sendHistory(world.dataSource, id)).map(({ from, to, at, by }) => [
      from,
      to,
      at.getTime() - START,
      by,
    ]),
  ).toEqual([
    [null, 'planned', 0, 'plan'],
    ['planned', 'sending', 1_000, 'dispatch'],
    ['sending', 'accepted', 2_000, 'dispatch'],
    ['accepted', 'sent', 3_000, 'follow'],
  ]);
});
