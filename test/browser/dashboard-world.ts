// A whole Carillon of real processes for the browser: three campaigns that ended well, ended badly and are still to come.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { DemoUser } from '../../tools/demo/examples.js';
import { publishEvents } from '../../tools/demo/publish.js';
import { callWithToken } from '../../tools/demo/push-client.js';
import { seed } from '../../tools/demo/seed.js';
import { House } from '../../tools/house.js';
import { discardPostgres } from '../../tools/postgres.js';
import { eventually } from '../support/eventually.js';

export const SERVICE = 'browser-app';
const DAY_MS = 86_400_000;

const List = z.object({ items: z.array(z.object({ id: z.string(), state: z.string() })) });

function user(userId: string, deviceToken: string): DemoUser {
  return {
    userId,
    country: 'KR',
    language: 'ko',
    timezone: 32_400,
    devices: [{ deviceType: 'GCM', deviceToken }],
    channels: [],
    consent: { notification: true, ad: true, nightAd: true },
  };
}

/** Due tomorrow at nine on three clocks, so that nothing of it leaves while a test runs. */
const placed = [
  ['Asia/Seoul', 'reader-1'],
  ['Europe/Paris', 'reader-2'],
  ['America/New_York', 'gone'],
] as const;
const tomorrow = new Date(Date.now() + DAY_MS * 2).toISOString().slice(0, 10);

const CAMPAIGNS = {
  everybody: {
    name: 'To everybody at once',
    audience: { type: 'USER', to: ['reader-1', 'reader-2'] },
    delivery: { now: true },
  },
  failed: {
    name: 'To a device that is gone',
    audience: { type: 'USER', to: ['gone'] },
    delivery: { now: true },
  },
  tomorrow: {
    name: 'Tomorrow in three zones',
    delivery: {
      at: `${tomorrow}T09:00`,
      zone: 'recipient',
      segments: placed.map(([zone, who]) => ({ zone, audience: { type: 'USER', to: [who] } })),
    },
    policy: { handoff: 'hold' },
  },
};
type Name = keyof typeof CAMPAIGNS;
interface SessionCookie {
  readonly name: string;
  readonly value: string;
  readonly url: string;
  readonly httpOnly: true;
  readonly sameSite: 'Strict';
}
type Role = 'publisher' | 'analyst' | 'operator' | 'admin';

export class DashboardWorld {
  private constructor(
    private readonly house: House,
    private readonly stateDir: string,
    /** Our ids of the campaigns, of the send that failed, and of the event that was refused. */
    readonly ids: Readonly<Record<Name | 'send' | 'rejection', string>>,
  ) {}

  static async open(): Promise<DashboardWorld> {
    const stateDir = mkdtempSync(join(tmpdir(), 'carillon browser '));
    const kafka = { kind: 'none', reason: 'Pages need no broker.' } as const;
    const house = await House.open({ stateDir, say: () => undefined, kafka });
    const users = [user('reader-1', 'token-1'), user('reader-2', 'token-2'), user('gone', 'fail-gone')];
    await seed(
      house.endpoints,
      [{ serviceId: SERVICE, channels: [], schedules: [], users }],
      () => undefined,
    );
    await publishEvents(
      house.endpoints,
      (Object.keys(CAMPAIGNS) as Name[]).map((name) => event(name, CAMPAIGNS[name])),
    );
    const { schedulerUrl: url, tokens } = house.endpoints;
    const get = (path: string) => callWithToken({ url, token: tokens.admin }, 'GET', path);
    const ids = {
      everybody: await idOf(get, 'everybody', 'completed'),
      failed: await idOf(get, 'failed', 'completed'),
      tomorrow: await idOf(get, 'tomorrow', 'planned'),
    };
    const [send] = List.parse(await get(`/v1/campaigns/${ids.failed}/sends`)).items;
    const rejection = await refused({ url, token: tokens.publisher }, get);
    return new DashboardWorld(house, stateDir, { ...ids, send: send?.id ?? '', rejection });
  }

  get url(): string {
    return this.house.endpoints.schedulerUrl;
  }

  get tokens() {
    return this.house.endpoints.tokens;
  }

  readonly #cookies = new Map<Role, Promise<SessionCookie>>();

  /** Of one session for each role, as a browser keeps it: signing in for each page would spend the tries of a minute. */
  cookieOf(role: Role) {
    // The tests of the page that signs in may have spent the minute's tries.
    const cookie = this.#cookies.get(role) ?? eventually(() => this.signIn(role), { everyMs: 1_000 });
    this.#cookies.set(role, cookie);
    return cookie;
  }

  private async signIn(role: Role): Promise<SessionCookie> {
    const response = await fetch(`${this.url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: this.tokens[role] }),
    });
    const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(response.headers.get('set-cookie') ?? '') ?? [];
    if (name === '') throw new Error(`no session: ${response.status} ${await response.text()}`);
    return { name, value, url: this.url, httpOnly: true, sameSite: 'Strict' };
  }

  /** As an admin over the API. */
  call(method: string, path: string, body?: unknown): Promise<unknown> {
    return callWithToken({ url: this.url, token: this.tokens.admin }, method, path, body);
  }

  /** One more campaign to everybody, while a page is open. */
  async publish(campaignId: string): Promise<void> {
    const campaign = { ...CAMPAIGNS.everybody, name: campaignId };
    await publishEvents(this.house.endpoints, [event(campaignId, campaign)]);
  }

  async close(): Promise<void> {
    await this.house.close();
    await discardPostgres(join(this.stateDir, 'postgres'));
    rmSync(this.stateDir, { recursive: true, force: true });
  }
}

function event(campaignId: string, campaign: object) {
  return {
    specversion: '1.0',
    id: v7(),
    source: '/demo/browser',
    type: 'carillon.campaign.scheduled.v1',
    subject: campaignId,
    time: new Date().toISOString(),
    data: { serviceId: SERVICE, message: { default: { content: 'Hello' } }, ...campaign },
  };
}

/** An event with a zone that is none. Our id of its rejection. */
async function refused(
  to: { readonly url: string; readonly token: string },
  get: (path: string) => Promise<unknown>,
): Promise<string> {
  const response = await fetch(`${to.url}/v1/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/cloudevents+json', authorization: `Bearer ${to.token}` },
    body: JSON.stringify(
      event('misspelt', {
        audience: { type: 'USER', to: ['reader-1'] },
        delivery: { at: `${tomorrow}T09:00`, zone: 'KST' },
      }),
    ),
  });
  if (response.status !== 422) throw new Error(`a zone that is none was answered ${response.status}`);
  const [found] = List.parse(await get('/v1/rejections')).items;
  return found?.id ?? '';
}

/** Once the campaign has come to that state. */
function idOf(get: (path: string) => Promise<unknown>, campaignId: string, state: string): Promise<string> {
  return eventually(
    async () => {
      const [found] = List.parse(await get(`/v1/campaigns?campaignId=${campaignId}`)).items;
      if (found?.state !== state) throw new Error(`${campaignId} is ${found?.state ?? 'not there'}`);
      return found.id;
    },
    { withinMs: 90_000, everyMs: 200 },
  );
}
