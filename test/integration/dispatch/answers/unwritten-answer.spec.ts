// Answers and polls that the database refuses to write: none is lost, others of the batch are written, and no log line has the gateway's
// text.
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../../src/platform/clock.js';
import type { RecordedAnswer } from '../../../../src/scheduler/store/send/answer.store.js';
import { resendUncertain } from '../../../../src/scheduler/store/send/repeat.store.js';
import {
  keepAnswer,
  unwrittenAnswersOf,
} from '../../../../src/scheduler/store/send/unwritten-answer.store.js';
import { eventually } from '../../../support/eventually.js';
import { Gateway, json, take } from '../../../support/scheduler/gateway.js';
import { recoveryOf } from '../../../support/scheduler/recovery.js';
import { followerOf, rigOf, type Rig } from '../../../support/scheduler/rig.js';
import { START, World } from '../../../support/scheduler/world.js';

/** A text of a gateway that the database refuses. */
const WORDS = 'words of a gateway that belong in no log';

let world: World;
let gateway: Gateway;
let clock: SteppedClock;
let rig: Rig;
const lines: string[] = [];
const log = pino({}, { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  lines.length = 0;
  gateway = await Gateway.open();
  await world.project({ base_url: gateway.url });
  clock = new SteppedClock(START);
  gateway.skewMs = START - Date.now();
  rig = rigOf(world, clock, { log });
  await world.dataSource.query('delete from unwritten_answer');
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
});

/** While `work` runs, a constraint refuses such rows of the table. */
async function refusing(table: string, condition: string, work: () => Promise<void>): Promise<void> {
  await world.dataSource.query(`alter table ${table} add constraint refused check (${condition}) not valid`);
  try {
    await work();
  } finally {
    await world.dataSource.query(`alter table ${table} drop constraint refused`);
  }
}

describe('an answer that cannot be written', () => {
  it('is kept apart, and its send is uncertain; the other answers of the batch are written', async () => {
    gateway.answer = (asked, response) =>
      asked.body.includes('poison')
        ? json(418, { error: { errorCode: '100', message: WORDS } })(asked, response)
        : take(asked, response);
    const poison = await world.campaign({ target: { type: 'USER' } });
    const [kept, beside] = [
      await world.send({ campaign: poison, recipients: ['poison'] }),
      await world.send(),
    ];
    await refusing('send', 'http_status <> 418', async () => {
      await rig.dispatch.runOnce();
      await eventually(async () => expect((await world.read(kept)).state).toBe('uncertain'));
      await eventually(async () => expect((await world.read(beside)).state).toBe('accepted'));
    });
    expect(await world.read(kept)).toMatchObject({
      code: 'UNWRITTEN_ANSWER',
    });
    expect(await unwrittenAnswersOf(world.dataSource, kept)).toMatchObject([
      { attempt: 1, code: '23514', facts: { httpStatus: 418, answer: expect.stringContaining(WORDS) } },
    ]);
    const said = lines.join('');
    expect(said).toContain('an answer cannot be written down');
    expect(said).toContain(kept);
    expect(said).not.toContain(WORDS);
    await eventually(() => expect(rig.dispatch.inFlight).toBe(0));
  });

  it('is kept apart if its send cannot be moved either: the search for lost sends makes it uncertain', async () => {
    gateway.answer = take;
    const send = await world.send();
    await refusing('send', "state not in ('accepted', 'uncertain')", async () => {
      await rig.dispatch.runOnce();
      await eventually(async () => expect(await unwrittenAnswersOf(world.dataSource, send)).toHaveLength(1));
      await eventually(() => expect(rig.dispatch.inFlight).toBe(0));
    });
    expect((await world.read(send)).state).toBe('sending');
    expect(lines.join('')).toContain('its send becomes uncertain within a minute');
    // Its replica lives.
    await world.dataSource.query('insert into replica select fired_by, clock_timestamp() from send');
    await recoveryOf(world.dataSource, clock).runOnce();
    const { facts } = (await unwrittenAnswersOf(world.dataSource, send))[0] ?? {};
    expect(facts?.['requestId']).toEqual(expect.any(String));
    // By which its result is asked for: a project's `resend` sends only what has none.
    expect(await world.read(send)).toMatchObject({
      state: 'uncertain',
      code: 'UNWRITTEN_ANSWER',
      request_id: facts?.['requestId'],
    });
    const far = START + 3_600_000;
    await world.dataSource.query("update project set on_uncertain = 'resend', extensions = '{}'");
    await world.dataSource.query('update send set due_at = $1', [new Date(far)]);
    expect(await resendUncertain(world.dataSource, far, 9, 'spec')).toBe(0);
    await world.dataSource.query('update send set request_id = null');
    expect(await resendUncertain(world.dataSource, far, 9, 'spec')).toBe(1);
  });

  it('waits for a table or function that is missing, and is written once it is there', async () => {
    const send = await world.send();
    gateway.answer = async (asked, response) => {
      await world.dataSource.query('alter function record_answers rename to record_answers_gone');
      await take(asked, response);
    };
    try {
      await rig.dispatch.runOnce();
      await eventually(() => expect(lines.join('')).toContain('answers wait for the database'));
      expect((await world.read(send)).state).toBe('sending');
    } finally {
      await world.dataSource.query('alter function record_answers_gone rename to record_answers');
    }
    await eventually(async () => expect((await world.read(send)).state).toBe('accepted'));
  });

  it('is kept apart whatever it contains, cut short, and once', async () => {
    const send = await world.send();
    const answer: RecordedAnswer = {
      id: send,
      attempt: 1,
      state: 'uncertain',
      code: 'X',
      detail: `\0\uD800${'x'.repeat(1_000_000)}`,
      answeredAt: Number.NaN,
      requestId: '\u001F\u001A',
      gatewayStatus: null,
      nextAt: null,
      requestSent: true,
      httpStatus: 1e300,
      errorCode: null,
      answer: null,
      outcome: 'unknown',
    };
    for (const error of [new RangeError('\0 is no text'), 'not even an error'])
      await keepAnswer(world.dataSource, answer, error, { at: START, by: 'spec' });
    const [kept, ...more] = await unwrittenAnswersOf(world.dataSource, send);
    expect(more).toEqual([]);
    expect(kept).toMatchObject({
      code: null,
      error: 'RangeError: \uFFFD is no text',
      facts: { answeredAt: null },
    });
    expect(String(kept?.facts['detail'])).toMatch(/^\uFFFD\uFFFDx{3998}$/);
  });
});

describe('a poll that cannot be written', () => {
  it('leaves its send as it is, says so, and is asked again at growing gaps', async () => {
    const send = await world.send({
      state: 'accepted',
      columns: {
        request_id: 'r-1',
        next_at: new Date(START),
        handed_off_at: new Date(START - 120_000),
        state_at: new Date(START - 60_000),
      },
    });
    gateway.answer = json(200, {
      requestId: 'r-1',
      requestTime: '2027-03-01T08:59:00.000',
      statusCode: '202',
      statusName: 'success',
      messageStatusCode: '200',
      messageStatusName: 'success',
      completeTime: '2027-03-01T09:00:01.500',
      targetCount: 77,
      sentCount: 77,
    });
    const follow = followerOf(world, clock, rig, { log });
    await refusing('send', 'target_count <> 77', async () => {
      const gaps: number[] = [];
      for (let poll = 0; poll < 3; poll += 1) {
        expect(await follow.runOnce()).toBe(1);
        await follow.idle();
        const { state, detail, next_at: next } = await world.read(send);
        expect([state, detail]).toEqual([
          'accepted',
          expect.stringContaining('refused the answer to the last poll (23514)'),
        ]);
        gaps.push((next?.getTime() ?? 0) - clock.now());
        clock.set(next?.getTime() ?? 0);
      }
      expect(gaps).toEqual([30_000, 60_000, 120_000]);
    });
    expect(lines.join('')).toContain('the answer to a poll cannot be written down');
    await follow.runOnce();
    await follow.idle();
    expect((await world.read(send)).state).toBe('sent');
    await follow.stop();
  });
});
