// A whole Carillon of real processes for a journey: one service with users, campaigns published as strangers do, and
// both sides read over HTTP. Holds no expectation of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { z } from 'zod';
import { House, type HouseOptions } from '../../tools/house.js';
import { Management } from '../../tools/demo/management.js';
import { publishEvents } from '../../tools/demo/publish.js';
import { callWithToken } from '../../tools/demo/push-client.js';
import { seed } from '../../tools/demo/seed.js';
import { discardPostgres } from '../../tools/postgres.js';
import { eventually } from '../support/eventually.js';

export const SERVICE = 'journey-app';
/** Of which every campaign of a journey reaches all devices: two GCM, one APNS. */
export const DEVICES = { GCM: 2, APNS: 1 };

const Campaigns = z.object({ items: z.array(z.object({ id: z.string(), state: z.string() })) });
const Sends = z.object({
  items: z.array(z.object({ id: z.string(), state: z.string(), requestId: z.string().nullable() })),
});
export type SendSeen = z.output<typeof Sends>['items'][number];

function user(userId: string, deviceType: 'GCM' | 'APNS') {
  return {
    userId,
    country: 'KR',
    language: 'ko',
    timezone: 32_400,
    devices: [{ deviceType, deviceToken: `token-${userId}` }],
    channels: [],
    consent: { notification: true, ad: true, nightAd: true },
  };
}

export class Stage {
  readonly management: Management;

  private constructor(
    readonly house: House,
    private readonly stateDir: string,
  ) {
    this.management = new Management(house.endpoints);
  }

  static async open(options: Pick<HouseOptions, 'scheduler' | 'pushService'> = {}): Promise<Stage> {
    const stateDir = mkdtempSync(join(tmpdir(), 'carillon journey '));
    const house = await House.open({ stateDir, say: () => undefined, ...options });
    const users = [user('reader-1', 'GCM'), user('reader-2', 'GCM'), user('reader-3', 'APNS')];
    await seed(
      house.endpoints,
      [{ serviceId: SERVICE, channels: [], schedules: [], users }],
      () => undefined,
    );
    return new Stage(house, stateDir);
  }

  async close(): Promise<void> {
    await this.house.close();
    await discardPostgres(join(this.stateDir, 'postgres'));
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  /** Publishes campaigns to everybody, at once, and returns their ids. */
  async publish(count: number, way: 'kafka' | 'http' = 'kafka'): Promise<string[]> {
    const campaignIds = Array.from({ length: count }, () => `campaign-${v7()}`);
    const { endpoints } = this.house;
    const to = way === 'kafka' ? endpoints : { ...endpoints, kafkaBrokers: [] };
    await publishEvents(to, campaignIds.map(immediateCampaign));
    return campaignIds;
  }

  get(path: string): Promise<unknown> {
    const { schedulerUrl, tokens } = this.house.endpoints;
    return callWithToken({ url: schedulerUrl, token: tokens.operator }, 'GET', path);
  }

  async campaign(campaignId: string): Promise<{ id: string; state: string } | undefined> {
    const query = new URLSearchParams({ serviceId: SERVICE, campaignId });
    return Campaigns.parse(await this.get(`/v1/campaigns?${query.toString()}`)).items[0];
  }

  async sends(campaignId: string): Promise<SendSeen[]> {
    const found = await this.campaign(campaignId);
    return found === undefined ? [] : Sends.parse(await this.get(`/v1/campaigns/${found.id}/sends`)).items;
  }

  /** Waits until every campaign has its one send in that state. */
  async eachSendIs(campaignIds: readonly string[], state: string, withinMs = 60_000): Promise<void> {
    await eventually(
      async () => {
        for (const campaignId of campaignIds) {
          const states = (await this.sends(campaignId)).map((send) => send.state);
          if (states.length !== 1 || states[0] !== state)
            throw new Error(`${campaignId}: ${states.join(', ') || 'none'}`);
        }
      },
      { withinMs, everyMs: 200 },
    );
  }

  /** What readiness says of a service: its status and the whole text. */
  async readiness(url: string): Promise<{ status: number; text: string }> {
    const { tokens } = this.house.endpoints;
    const answer = await fetch(new URL('/health/ready', url), {
      headers: { authorization: `Bearer ${tokens.operator}` },
    });
    return { status: answer.status, text: await answer.text() };
  }

  /** `campaigns` without the events that came again: a publisher whose broker dies may publish one twice. */
  async ledger(): Promise<{ balanced: boolean; missing: unknown[]; campaigns: number }> {
    const Ledger = z.object({
      balanced: z.boolean(),
      missing: z.array(z.unknown()),
      events: z.object({ right: z.object({ campaigns: z.number() }) }),
    });
    const { balanced, missing, events } = Ledger.parse(await this.get('/v1/ledger'));
    return { balanced, missing, campaigns: events.right.campaigns };
  }
}

function immediateCampaign(campaignId: string) {
  return {
    specversion: '1.0',
    id: v7(),
    source: '/demo/journey',
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    time: new Date().toISOString(),
    data: {
      serviceId: SERVICE,
      name: campaignId,
      audience: { type: 'ALL' },
      message: { default: { content: 'Hello' } },
      delivery: { now: true },
    },
  };
}
