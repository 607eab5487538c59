// The order of acts over the real intake: clocks with whole seconds and skew, and commands that overtake their campaign.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { EndParked } from '../../../src/scheduler/accept/end-parked.js';
import { EventParser } from '../../../src/scheduler/accept/event-parser.js';
import { askAct } from '../../../src/scheduler/store/send/act.store.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import {
  addProject,
  canceled,
  commanded,
  fromHttp,
  fromKafka,
  IntakeWorld,
  scheduled,
  SERVICE,
  SOURCE,
  START,
  type Json,
} from '../../support/scheduler/intake-world.js';

const HOUR = 3_600_000;
const MADE = '2027-02-28T23:50:00.700Z';

let world: IntakeWorld;
beforeEach(async () => {
  world = await IntakeWorld.open();
});
afterEach(() => world.close());

const later = (ms: number, from = MADE): string => new Date(Date.parse(from) + ms).toISOString();
const schedule = (id: string, time = MADE, data: Json = {}) => scheduled(id, data, { time });
const cancel = (id: string, time: string, data: Json = {}) => canceled(id, data, { time });
const states = async () =>
  (
    await world.rows<{ id: string; state: string }>(
      'select campaign_id as id, state from campaign order by 1',
    )
  ).map(({ id, state }) => `${id} ${state}`);
const ended = () =>
  new EndParked({
    inTransaction: (work) => world.dataSource.transaction(work),
    clock: world.clock,
    parser: new EventParser({ rules: loadZoneRules() }),
    deadTopic: 'campaign.events.dead',
  }).runOnce();

describe('a cancel after its schedule', () => {
  it.each([
    ['of the same second, which its clock cuts off', later(-700)],
    ['by a clock 3 s behind', later(-3_000)],
    ['by a clock a minute behind', later(-60_000)],
  ])('%s counts', async (_, time) => {
    expect(await world.outcomes([fromKafka(schedule('spring')), fromKafka(cancel('spring', time))])).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(await states()).toEqual(['spring canceling']);
  });

  it('that is older still was made before it, and changes nothing', async () => {
    const late = cancel('spring', later(-60_001));
    expect(await world.outcomes([fromHttp(schedule('spring')), fromHttp(late)])).toEqual([
      'accepted',
      'SUPERSEDED',
    ]);
    expect(await states()).toEqual(['spring accepted']);
  });

  it('repeats one that was taken, whatever its time', async () => {
    const events = [schedule('spring'), cancel('spring', later(60_000)), cancel('spring', later(-HOUR))];
    expect(await world.outcomes(events.map((event) => fromKafka(event)))).toEqual(
      Array<string>(3).fill('accepted'),
    );
  });

  it('of one occurrence leaves an older cancel of the whole to count', async () => {
    const delivery = { at: '2027-03-02T09:00', zone: 'Asia/Seoul', recurrence: 'FREQ=DAILY;COUNT=3' };
    const events = [
      schedule('spring', MADE, { delivery }),
      cancel('spring', later(300_000), { occurrence: '2027-03-03T09:00' }),
      cancel('spring', later(120_000)),
    ];
    expect(await world.outcomes(events.map((event) => fromKafka(event)))).toEqual(
      Array<string>(3).fill('accepted'),
    );
    expect(await states()).toEqual(['spring canceling']);
  });

  it('by hand has the time of its arrival', async () => {
    await world.outcomes([fromKafka(schedule('spring'))]);
    const [made] = await world.rows<{ id: string }>('select id from campaign');
    const now = new Date(world.clock.now());
    await world.dataSource.transaction((sql) =>
      askAct(sql, {
        act: 'cancel',
        campaign: String(made?.id),
        now,
        by: 'token:a',
        code: 'CANCELED_BY_OPERATOR',
      }),
    );
    expect(await world.rows('select newest_time as time from campaign')).toEqual([{ time: now }]);
  });
});

describe('a pause and a resume', () => {
  const act = (kind: 'paused' | 'resumed', time: string, data: Json = {}) =>
    fromKafka(commanded(kind, 'spring', data, { time }));
  const paused = () => world.rows('select state, paused from campaign');

  it('count in the order of their times, and a stricter one within a minute before', async () => {
    expect(
      await world.outcomes([
        fromKafka(schedule('spring')),
        act('paused', later(-60_000)),
        act('resumed', later(0)),
        act('resumed', later(1)),
        act('resumed', later(2)),
        act('paused', later(1)),
        act('paused', later(-60_001)),
      ]),
    ).toEqual(['accepted', 'accepted', 'SUPERSEDED', 'accepted', 'accepted', 'accepted', 'SUPERSEDED']);
    expect(await paused()).toEqual([{ state: 'accepted', paused: true }]);
    expect(await world.rows('select act from command order by act, id')).toEqual(
      ['pause', 'pause', 'resume', 'resume'].map((one) => ({ act: one })),
    );
    expect(await world.rows('select act, goal, code, asked_by from campaign_act')).toEqual([
      { act: 'pause', goal: 'held', code: 'PAUSED_BY_EVENT', asked_by: `event:${SOURCE}` },
    ]);
  });

  it('that repeat what stands count as the newest all the same', async () => {
    const minutes = (count: number) => later(count * 60_000);
    expect(
      await world.outcomes([
        fromKafka(schedule('spring')),
        act('resumed', minutes(4)),
        act('paused', minutes(2)),
        act('paused', minutes(6)),
        act('paused', minutes(10)),
        act('resumed', minutes(8)),
      ]),
    ).toEqual(['accepted', 'accepted', 'SUPERSEDED', 'accepted', 'accepted', 'SUPERSEDED']);
    expect(await paused()).toEqual([{ state: 'accepted', paused: true }]);
    expect(await world.outcomes([act('resumed', minutes(9))])).toEqual(['SUPERSEDED']);
  });

  it('a cancel is stricter than a pause, and ends it', async () => {
    expect(
      await world.outcomes([
        fromKafka(schedule('spring')),
        act('paused', later(1)),
        fromKafka(cancel('spring', later(-59_000))),
        act('resumed', later(2)),
      ]),
    ).toEqual(['accepted', 'accepted', 'accepted', 'CAMPAIGN_CLOSED']);
    expect(await paused()).toEqual([{ state: 'canceling', paused: false }]);
  });

  it('a pause that comes first is parked as one, and applied', async () => {
    expect(await world.outcomes([act('paused', later(1_000), { reason: 'not yet' })])).toEqual(['parked']);
    expect(await world.outcomes([fromKafka(schedule('spring'))])).toEqual(['accepted']);
    expect(await paused()).toEqual([{ state: 'accepted', paused: true }]);
    expect(await world.rows('select act, detail from campaign_act')).toEqual([
      { act: 'pause', detail: 'not yet' },
    ]);
  });

  it('of one occurrence leave the campaign as it is', async () => {
    const delivery = { at: '2027-03-02T09:00', zone: 'Asia/Seoul', recurrence: 'FREQ=DAILY;COUNT=3' };
    const occurrence = '2027-03-03T09:00';
    expect(
      await world.outcomes([
        fromKafka(schedule('spring', MADE, { delivery })),
        act('paused', later(1), { occurrence }),
        act('paused', later(2), { occurrence: '2027-03-03T10:00' }),
        fromKafka(cancel('spring', later(3), { occurrence })),
        act('resumed', later(4), { occurrence }),
      ]),
    ).toEqual(['accepted', 'accepted', 'UNKNOWN_OCCURRENCE', 'accepted', 'OCCURRENCE_CLOSED']);
    expect(await paused()).toEqual([{ state: 'accepted', paused: false }]);
  });
});

it('a second schedule of the same or an older time is superseded; of a newer one it is the next revision', async () => {
  const again = [MADE, later(-1), later(1)].map((time) => fromKafka(schedule('spring', time)));
  expect(await world.outcomes([fromKafka(schedule('spring')), ...again])).toEqual([
    'accepted',
    'SUPERSEDED',
    'SUPERSEDED',
    'accepted',
  ]);
});

describe('a cancel that arrives before its schedule', () => {
  it('is parked, and applied in the transaction that takes the schedule, however either came', async () => {
    const ways = [fromKafka, fromHttp];
    for (const [at, cancelBy] of ways.entries())
      for (const [to, scheduleBy] of ways.entries()) {
        const name = `c${at}${to}`;
        expect(await world.outcomes([cancelBy(cancel(name, later(3_000), { reason: 'wrong' }))])).toEqual([
          'parked',
        ]);
        expect(await world.outcomes([scheduleBy(schedule(name))])).toEqual(['accepted']);
      }
    expect(await states()).toEqual(['c00', 'c01', 'c10', 'c11'].map((name) => `${name} canceling`));
    expect(await world.rows('select distinct code, detail from campaign')).toEqual([
      { code: 'CANCELED_BY_EVENT', detail: 'wrong' },
    ]);
    expect(await world.balance()).toMatchObject({
      events: 8,
      campaigns: 4,
      commands: 4,
      parked: 0,
      rejections: 0,
      keys: 8,
    });
    expect(await world.rows(`select from event where verdict = 'command'`)).toHaveLength(4);
  });

  it('in one batch with it is taken at once; parked ones of all its occurrences too', async () => {
    const delivery = { at: '2027-03-02T09:00', zone: 'Asia/Seoul', recurrence: 'FREQ=DAILY;COUNT=3' };
    const one = (occurrence: string) => fromKafka(cancel('spring', later(2), { occurrence }));
    expect(await world.outcomes([one('2027-03-02T09:00')])).toEqual(['parked']);
    const batch = [
      one('2027-03-03T09:00'),
      fromKafka(schedule('spring', MADE, { delivery })),
      one('2027-03-04T09:00'),
    ];
    expect(await world.outcomes(batch)).toEqual(Array<string>(3).fill('accepted'));
    expect(await world.rows('select occurrence, state from occurrence order by 1')).toEqual(
      ['02', '03', '04'].map((day) => ({ occurrence: `2027-03-${day}T09:00`, state: 'canceled' })),
    );
    expect(await world.balance()).toMatchObject({ commands: 3, parked: 0, rejections: 0, keys: 4 });
  });

  it('publishes an outcome for a publisher over Kafka, and the same event again is a duplicate', async () => {
    const early = cancel('spring', MADE, { occurrence: 'once' });
    const [verdict] = await world.intake().accept([fromKafka(early)]);
    expect(await world.outcomes([fromHttp(early)])).toEqual(['duplicate']);
    const until = later(HOUR, START);
    expect(verdict).toMatchObject({ kind: 'parked', until: new Date(until) });
    const outcomes = await world.rows<{ key: string; value: Buffer }>(
      `select key, value from outbox where topic = 'campaign.outcomes'`,
    );
    expect(
      outcomes.map(({ value, ...row }) => ({ ...row, event: JSON.parse(String(value)) as Json })),
    ).toMatchObject([
      {
        key: `${SERVICE}/spring`,
        event: {
          type: 'carillon.outcome.command.parked.v1',
          subject: 'spring',
          data: { state: 'parked', occurrence: 'once', until, event: { id: early['id'] } },
        },
      },
    ]);
    expect(await world.balance()).toMatchObject({ events: 2, parked: 1, duplicates: 1, keys: 1 });
  });

  it('becomes a rejection like any other after an hour, and then may come again', async () => {
    await world.rows(`update project set rejections_topic = 'shop.rejections'`);
    const early = cancel('spring', MADE);
    await world.outcomes([fromKafka(early)]);
    world.clock.advance(HOUR - 1);
    expect(await ended()).toBe(0);
    world.clock.advance(1);
    expect(await ended()).toBe(1);
    expect(await ended()).toBe(0);
    const [rejection] = await world.rows(
      `select j.reasons, j.state, j.service_id, j.topic, e.verdict from rejection j join event e on e.id = j.event`,
    );
    expect(rejection).toMatchObject({
      reasons: [{ code: 'UNKNOWN_CAMPAIGN', pointer: '/subject' }],
      state: 'open',
      service_id: SERVICE,
      topic: 'campaign.events',
      verdict: 'rejected',
    });
    const letters = await world.rows<{ topic: string; key: string; value: Buffer }>(
      `select topic, key, value from outbox where topic <> 'campaign.outcomes' order by position`,
    );
    expect(letters.map(({ topic, key }) => [topic, key])).toEqual([
      ['campaign.events.dead', `${SERVICE}/spring`],
      ['shop.rejections', `${SERVICE}/spring`],
    ]);
    const { data } = JSON.parse(String(letters[0]?.value)) as { data: { bodyBase64: string } };
    expect(JSON.parse(Buffer.from(data.bodyBase64, 'base64').toString())).toEqual(early);
    expect(await world.balance()).toMatchObject({ events: 1, parked: 0, rejections: 1, keys: 0 });
    expect(await world.outcomes([fromHttp(early)])).toEqual(['parked']);
  });

  it('that its campaign does not take becomes a rejection with the reason, without waiting', async () => {
    await world.outcomes([
      fromKafka(cancel('spring', later(-60_001))),
      fromKafka(cancel('autumn', later(1), { occurrence: '2027-03-03T09:00' })),
    ]);
    expect(await world.outcomes([fromKafka(schedule('spring')), fromKafka(schedule('autumn'))])).toEqual([
      'accepted',
      'accepted',
    ]);
    expect(await states()).toEqual(['autumn accepted', 'spring accepted']);
    expect(await ended()).toBe(2);
    const rejections = await world.rows<{ code: string }>(
      `select reasons->0->>'code' as code from rejection order by 1`,
    );
    expect(rejections.map(({ code }) => code)).toEqual(['SUPERSEDED', 'UNKNOWN_OCCURRENCE']);
    expect(await world.balance()).toMatchObject({ commands: 0, parked: 0, keys: 2 });
    // In one batch there is nothing to wait for.
    const batch = [cancel('winter', later(-60_001)), schedule('winter')].map((event) => fromHttp(event));
    expect(await world.outcomes(batch)).toEqual(['SUPERSEDED', 'accepted']);
  });

  it('waits with at most twenty others, for its own service alone', async () => {
    await addProject(world.dataSource, 'other-app');
    const many = Array.from({ length: 21 }, () => fromKafka(cancel('spring', MADE)));
    expect(await world.outcomes(many.slice(0, 12))).toEqual(Array<string>(12).fill('parked'));
    expect((await world.outcomes(many.slice(12))).at(-1)).toBe('UNKNOWN_CAMPAIGN');
    expect(
      await world.outcomes([fromHttp(schedule('spring', MADE, { serviceId: 'other-app' }), ['other-app'])]),
    ).toEqual(['accepted']);
    expect(await states()).toEqual(['spring accepted']);
    expect(await world.balance()).toMatchObject({ parked: 20 });
  });
});

describe('a cancel and its schedule in two transactions at the same instant', () => {
  it('the cancel waits for a schedule that is not committed yet, and cancels it', async () => {
    const holder = await OwnConnection.beside(world.dataSource);
    await holder.query('begin');
    // The schedule's transaction stops here, before its commit.
    await holder.query('lock table outbox in access exclusive mode');
    const taking = world.outcomes([fromHttp(schedule('spring')), fromHttp({ not: 'an event' })]);
    await untilLockAwaited((sql) => world.rows(sql), { like: '%outbox%' });
    const canceling = world.outcomes([fromKafka(cancel('spring', later(1)))]);
    await untilLockAwaited((sql) => world.rows(sql), { like: '%pg_advisory_xact_lock(%' });
    await holder.query('commit');
    await holder.release();
    expect(await taking).toMatchObject(['accepted', expect.stringContaining('REQUIRED')]);
    expect(await canceling).toEqual(['accepted']);
    expect(await states()).toEqual(['spring canceling']);
  });

  it('of many pairs none is missed, alone and in batches that take both ways round', async () => {
    const rounds = 12;
    const ofRound = (round: number): Promise<unknown> => {
      const names = Array.from({ length: 5 }, (_, index) => `c${round}-${index}`);
      const schedules = names.map((name) => fromHttp(schedule(name)));
      const cancels = names.map((name) => fromHttp(cancel(name, later(1))));
      const alone = [0, 1].flatMap((at) => [cancels.slice(at, at + 1), schedules.slice(at, at + 1)]);
      const sides = [...alone, cancels.slice(2), schedules.slice(2).toReversed()];
      return Promise.all(sides.map((side) => world.outcomes(side)));
    };
    for (let round = 0; round < rounds; round += 1) await ofRound(round);
    expect(await world.rows('select distinct state from campaign')).toEqual([{ state: 'canceling' }]);
    expect(await world.balance()).toMatchObject({
      events: 120,
      campaigns: 60,
      commands: 60,
      parked: 0,
      rejections: 0,
    });
  });
});
