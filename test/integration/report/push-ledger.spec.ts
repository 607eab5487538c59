// Our ledger beside that of a real push service: what it took of our sends, by its own count and by ours.
import { v7 } from 'uuid';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  agrees,
  humanPushLedger,
  readPushLedger,
  type PushLedger,
} from '../../../src/cli/ledger/push-ledger.js';
import type { SendState } from '../../../src/scheduler/decide/lifecycle/send-state.js';
import type { Client } from '../../contract/push-service/support/client.js';
import {
  finalResult,
  message,
  openStage,
  send,
  type Stage,
} from '../../contract/push-service/support/stage.js';
import { World } from '../../support/scheduler/world.js';

let stage: Stage;
let client: Client;
let world: World;

beforeAll(async () => {
  stage = await openStage();
  world = await World.open();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await world.close();
  await stage.close();
});
beforeEach(async () => {
  vi.stubEnv('MANAGEMENT_URL', stage.target.managementUrl);
  vi.stubEnv('MANAGEMENT_TOKEN', stage.target.managementToken);
  await world.clear();
  client = await stage.project();
  for (const deviceToken of ['fine-1', 'fine-2', 'fail-1'])
    await client.register({ userId: deviceToken, deviceToken });
  await world.project({ service_id: client.serviceId });
});

async function pushLedger(): Promise<PushLedger> {
  const found = await readPushLedger(world.dataSource, [client.serviceId], Date.now());
  if (found === undefined) throw new Error('nobody was asked');
  return found;
}

/** A send of ours as it stands once it was answered so. */
async function ours(
  state: SendState,
  requestId: string | null,
  columns: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const handed = { handed_off_at: new Date(), request_id: requestId };
  return world.send({ state, serviceId: client.serviceId, columns: { ...handed, ...columns } });
}

/** Handed to the push service, and followed to its end. */
async function followed(): Promise<string> {
  const requestId = await send(client, message());
  const { targetCount, sentCount } = await finalResult(client, requestId);
  return ours('sent', requestId, { target_count: targetCount, sent_count: sentCount });
}

describe('what the push service took of us', () => {
  it('agrees with our counts, replaced sends included, and says what is still open', async () => {
    await followed();
    const replaced = await followed();
    await world.dataSource.query('update send set next_send = $2 where id = $1', [replaced, v7()]);
    const reserved = await send(client, message({ reserveTime: '2099-01-01 00:00' }));
    await ours('reserved', reserved);
    const late = await send(client, message());
    await finalResult(client, late);
    await ours('accepted', late);

    const found = await pushLedger();
    expect(found.projects).toEqual([
      {
        serviceId: client.serviceId,
        ours: { messages: 4, final: 2, target: 6, sent: 4, failed: 2 },
        theirs: { messages: 4, final: 3, target: 9, sent: 6, failed: 3 },
        differs: [],
        open: ['1 messages have no final result yet', '1 are final there, and not here yet'],
      },
    ]);
    expect(agrees(found)).toBe(true);
  });

  it('reports a device that only we count, and a message that no send has', async () => {
    const wrong = await followed();
    await world.dataSource.query(
      'update send set target_count = target_count + 1, sent_count = sent_count + 1 where id = $1',
      [wrong],
    );
    const first = await pushLedger();
    expect(first.projects).toMatchObject([
      {
        differs: [
          { term: 'target', ours: 4, theirs: 3 },
          { term: 'sent', ours: 3, theirs: 2 },
        ],
      },
    ]);
    expect(agrees(first)).toBe(false);
    expect(humanPushLedger(first).join('\n')).toContain('  sent 3 here, 2 there');

    await world.dataSource.query('update send set target_count = 3, sent_count = 2 where id = $1', [wrong]);
    expect(agrees(await pushLedger())).toBe(true);
    await finalResult(client, await send(client, message()));
    expect((await pushLedger()).projects).toMatchObject([
      { differs: [{ term: 'messages', ours: 1, theirs: 2 }] },
    ]);
  });

  it('takes a message for a send of unknown fate, until an operator says that it never went', async () => {
    await finalResult(client, await send(client, message()));
    const lost = await ours('uncertain', null);
    const unknown = '1 taken there may be sends of unknown fate here';
    expect((await pushLedger()).projects).toMatchObject([
      { differs: [], open: expect.arrayContaining([unknown]) as unknown },
    ]);
    const resolve = (state: string, code: string) =>
      world.dataSource.query(
        "update send set state = $2, code = $3, changes = changes + 1, state_at = now(), state_by = 'spec' where id = $1",
        [lost, state, code],
      );
    await resolve('failed', 'CONFIRMED_NOT_SENT');
    expect(agrees(await pushLedger())).toBe(false);
  });

  it('does not compare devices that nobody asked for, since an operator resolved the send', async () => {
    const requestId = await send(client, message());
    await finalResult(client, requestId);
    await ours('sent', requestId, { code: 'CONFIRMED_SENT' });
    expect((await pushLedger()).projects).toMatchObject([
      {
        differs: [],
        open: ['1 are final there, and not here yet', '1 were resolved by hand here, and are not compared'],
      },
    ]);
  });

  it('says of a project that is another gateway’s that it is not there', async () => {
    await world.project({ service_id: 'elsewhere' });
    const found = await readPushLedger(world.dataSource, ['elsewhere'], Date.now());
    expect(found?.projects).toEqual([{ serviceId: 'elsewhere', differs: null }]);
    expect(agrees(found)).toBe(true);
  });

  it('asks nobody without a token, and says why where it is not answered', async () => {
    vi.stubEnv('MANAGEMENT_TOKEN', 'wrong');
    expect((await pushLedger()).fault).toBe(
      'the management token is missing or wrong (it was given that of MANAGEMENT_TOKEN)',
    );
    vi.stubEnv('MANAGEMENT_URL', 'http://127.0.0.1:9');
    const away = await pushLedger();
    expect([agrees(away), away.fault]).toEqual([
      false,
      expect.stringMatching(/does not answer at .* \(MANAGEMENT_URL\)/),
    ]);
    vi.stubEnv('MANAGEMENT_TOKEN', '');
    expect(await readPushLedger(world.dataSource, null, Date.now())).toBeUndefined();
  });
});
