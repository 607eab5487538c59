// The dashboard in the system's Chromium, on a whole Carillon of real processes: what an operator does from the sign-in to a retry, and for
// every page that it can be used by all, on a phone, in the dark.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { builtFolder, readDashboard } from '../../src/scheduler/dashboard/built-dashboard.js';
import { eventually } from '../support/eventually.js';
import { CHROMIUM, openBrowser, watchedPage, type Looks, type Watched } from './chromium.js';
import { DashboardWorld, SERVICE } from './dashboard-world.js';

const hasDashboard = readDashboard(builtFolder()) !== undefined;
if (CHROMIUM === undefined) process.stderr.write('no Chromium here: the tests in a browser are skipped\n');
if (!hasDashboard) process.stderr.write('no dashboard in dist/web (npm run build): its tests are skipped\n');

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What of the page one would have to scroll sideways for, pixels. */
const OVERHANG = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

interface AxeResult {
  readonly violations: readonly {
    readonly id: string;
    readonly impact: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}

describe.skipIf(CHROMIUM === undefined || !hasDashboard)('the dashboard', () => {
  let world: DashboardWorld;
  let browser: Browser;
  const open: Watched[] = [];

  beforeAll(async () => {
    [world, browser] = await Promise.all([DashboardWorld.open(), openBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await world?.close();
  });

  async function pageOf(looks: Partial<Looks> = {}): Promise<Page> {
    const watched = await watchedPage(browser, world.url, { width: 1280, colours: 'light', ...looks });
    open.push(watched);
    return watched.page;
  }

  async function signedIn(
    role: 'publisher' | 'analyst' | 'operator' | 'admin',
    looks: Partial<Looks> = {},
  ): Promise<Page> {
    const page = await pageOf(looks);
    await page.context().addCookies([await world.cookieOf(role)]);
    return page;
  }

  /** Each page that was opened has done nothing that none may do. */
  afterEach(async () => {
    const faults = open.flatMap((watched) => watched.faults);
    await Promise.all(open.splice(0).map(({ context }) => context.close()));
    if (faults.length > 0) throw new Error(faults.join('\n'));
  });

  /** What keeps people from using the page as it stands; `more`: rules that are not asked by default. */
  async function barriersOf(page: Page, more: readonly string[] = []): Promise<unknown[]> {
    await page.evaluate(AXE);
    const rules = Object.fromEntries(more.map((rule) => [rule, { enabled: true }]));
    const options = JSON.stringify({ resultTypes: ['violations'], rules });
    const { violations } = await page.evaluate<AxeResult>(`axe.run(${options})`);
    const serious = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
    return serious.map(({ id, nodes }) => [id, nodes.slice(0, 3).map(({ html }) => html)]);
  }

  const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { level: 1, name });

  it('asks who comes, says nothing of a wrong token, and leads to where the link pointed', async () => {
    const page = await pageOf();
    await page.goto(`${world.url}/campaigns?state=ended`);
    await page.getByLabel('Token', { exact: true }).fill('ops_not-a-token-of-anybody-here');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('This token is not valid.').waitFor();
    await page.getByLabel('Token', { exact: true }).fill(world.tokens.operator);
    await page.keyboard.press('Enter');
    await heading(page, 'Campaigns').waitFor();
    expect(new URL(page.url()).search).toBe('?state=ended');
    expect(
      await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })'),
    ).not.toContain(world.tokens.operator.slice(0, 12));
  });

  it('shows an operator why a campaign failed, and retries it by a preview that counts', async () => {
    const page = await signedIn('operator');
    await page.goto(`${world.url}/`);
    await page.getByRole('link', { name: 'Campaigns', exact: true }).click();
    await page.getByRole('link', { name: 'To a device that is gone' }).click();
    await heading(page, 'To a device that is gone').waitFor();
    await page.getByText('adds up').waitFor();
    await page.keyboard.press('3');
    await page.getByText('ALL_FAILED').first().waitFor();

    await page.keyboard.press('g');
    await page.keyboard.press('f');
    await heading(page, 'Failures').waitFor();
    await page.getByText('No device took it.').waitFor();
    await page.getByRole('button', { expanded: false, name: /1$/ }).first().click();
    await page.getByRole('button', { name: 'Preview a retry of all 1' }).click();
    await page.getByRole('button', { name: 'Retry 1', exact: true }).waitFor();
    const address = page.url();
    await page.reload();
    await page.getByRole('button', { name: 'Retry 1', exact: true }).click();
    await page.getByText('Done', { exact: true }).waitFor();
    expect(page.url()).toBe(address);
  });

  it('counts before it pauses a campaign, and shows at once that it is paused', async () => {
    const page = await signedIn('operator');
    await page.goto(`${world.url}/campaigns/${world.ids.tomorrow}`);
    await heading(page, 'Tomorrow in three zones').waitFor();
    await page.keyboard.press('p');
    const sheet = page.getByRole('dialog');
    await sheet.getByText('3 sends that have not left are held at once.').waitFor();
    await sheet.getByLabel(/Reason/).fill('the link is wrong');
    await sheet.getByRole('button', { name: 'Pause 3' }).click();
    await sheet.getByText('The campaign is paused.').waitFor();
    await sheet.getByRole('button', { name: 'Close' }).last().click();
    await page.getByRole('button', { name: 'Resume…' }).waitFor();
    expect(await page.getByText('Paused', { exact: true }).count()).toBeGreaterThan(0);
  });

  it('hears at once of a new campaign, and shows it when it is asked to', async () => {
    const page = await signedIn('operator');
    await page.goto(`${world.url}/campaigns`);
    await page.getByRole('link', { name: 'To everybody at once' }).waitFor();
    // From here on nothing is polled for a minute.
    await page.getByText('● live').waitFor();
    const rows = await page.locator('tr[data-row]').count();
    await world.publish('late-news');
    await page.getByRole('button', { name: '1 new: show it' }).waitFor({ timeout: 20_000 });
    expect(await page.locator('tr[data-row]').count()).toBe(rows);
    await page.getByRole('button', { name: '1 new: show it' }).click();
    await page.getByRole('link', { name: 'late-news' }).waitFor();
  });

  it('mends a refused event in the editor, and replays it once it would be taken', async () => {
    const page = await signedIn('admin');
    await page.goto(`${world.url}/rejected`);
    await page.getByRole('link', { name: 'misspelt' }).click();
    await heading(page, 'misspelt').waitFor();
    await page.getByText('ZONE_UNKNOWN').waitFor();
    await page.locator('.cm-content').waitFor();
    const lines = await page.locator('.cm-line').allTextContents();
    expect(lines.join('\n')).toContain('"KST"');
    await page.getByRole('textbox', { name: 'Text of the event' }).click();
    await page.keyboard.press('Control+a');
    await page.keyboard.insertText(lines.join('\n').replace('"KST"', '"Asia/Seoul"'));
    await page.keyboard.press('Control+Enter');
    await page.getByText('It would be taken.').waitFor();
    await page.getByRole('button', { name: 'Replay edited…' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: 'Replay', exact: true }).click();
    await sheet.getByRole('link', { name: /The campaign/ }).waitFor();
    await sheet.getByRole('button', { name: 'Close' }).last().click();
    await page.getByText('Replayed').first().waitFor();
  });

  it('finds a send by its id from anywhere, and goes there', async () => {
    const page = await signedIn('operator');
    await page.goto(`${world.url}/`);
    await heading(page, 'Overview').waitFor();
    await page.keyboard.press('Control+k');
    const field = page.getByRole('combobox', { name: /Campaign, send/ });
    await field.fill(world.ids.send);
    await page.getByRole('option', { name: /^Send/ }).waitFor();
    await page.keyboard.press('Enter');
    await heading(page, /^Send /).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/sends/${world.ids.send}`);
  });

  it('writes a campaign, shows its plan on three clocks, and publishes exactly that', async () => {
    const page = await signedIn('publisher');
    await page.goto(`${world.url}/campaigns`);
    await heading(page, 'Campaigns').waitFor();
    await page.keyboard.press('c');
    await heading(page, 'New campaign').waitFor();
    await page.getByLabel('Id', { exact: true }).fill('composed');
    await page.getByLabel('User ids').fill('reader-1');
    await page.getByLabel('When').selectOption('zone');
    await page.getByLabel('Zone').fill('KST');
    await page
      .getByText(/Asia\/Seoul/)
      .first()
      .waitFor();
    await page.getByLabel('Zone').fill('Asia/Seoul');
    await page.getByText('current', { exact: true }).waitFor();
    await page.getByText('1 request, 1 recipient').waitFor();
    await page.getByRole('button', { name: 'Publish…' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByRole('button', { name: 'Publish exactly this plan (1)' }).click();
    await sheet.getByRole('link', { name: /The campaign/ }).click();
    await heading(page, 'My campaign').waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/campaigns\/[0-9a-f-]{36}$/);
  });

  it('shows a publisher only what a publisher may do', async () => {
    const page = await signedIn('publisher');
    await page.goto(`${world.url}/`);
    await heading(page, 'Overview').waitFor();
    const links = await page.getByRole('navigation', { name: 'Pages' }).getByRole('link').allTextContents();
    expect(links).toEqual(['Overview', 'Campaigns', 'Sends', 'Rejected events', 'Audiences']);
    await page.goto(`${world.url}/campaigns/${world.ids.failed}`);
    const tabs = page.getByRole('navigation', { name: 'Parts of the campaign' }).getByRole('link');
    await tabs.first().waitFor();
    expect(await tabs.allTextContents()).toEqual(['Plan', 'Sends', 'Message', 'History', 'Event']);
  });

  it('asks for a token over the page when the session ends, and goes on there', async () => {
    const page = await signedIn('operator');
    await page.goto(`${world.url}/failures`);
    await heading(page, 'Failures').waitFor();
    await page.context().clearCookies();
    await page.getByLabel('State').selectOption({ label: 'Too late' });
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Token', { exact: true }).fill(world.tokens.operator);
    await sheet.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Nothing was too late.').waitFor();
    expect(new URL(page.url()).pathname).toBe('/failures');
  });

  it('keeps what was known when the scheduler does not answer, and says so', async () => {
    const page = await signedIn('operator');
    await page.goto(`${world.url}/campaigns`);
    await page.getByRole('link', { name: 'To everybody at once' }).waitFor();
    await page.route('**/v1/campaigns?*', (route) => route.fulfill({ status: 500, body: '{}' }));
    await page.getByLabel('Name or id').fill('everybody');
    await page.getByRole('alert').waitFor();
    await page.unroute('**/v1/campaigns?*');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'To everybody at once' }).waitFor();
    const told = open[0]?.faults.splice(0) ?? [];
    expect(told.every((fault) => fault.includes('status of 500'))).toBe(true);
  });

  const PAGES = (): readonly (readonly [path: string, title: string | RegExp])[] => [
    ['/', 'Overview'],
    ['/campaigns', 'Campaigns'],
    [`/campaigns/${world.ids.tomorrow}`, 'Tomorrow in three zones'],
    [`/campaigns/${world.ids.failed}?tab=report`, 'To a device that is gone'],
    [`/campaigns/${world.ids.failed}?tab=sends`, 'To a device that is gone'],
    [`/campaigns/${world.ids.failed}?tab=message`, 'To a device that is gone'],
    [`/campaigns/${world.ids.failed}?tab=event`, 'To a device that is gone'],
    [`/campaigns/${world.ids.failed}?tab=history`, 'To a device that is gone'],
    ['/sends', 'Sends'],
    [`/sends/${world.ids.send}`, /^Send /],
    ['/failures', 'Failures'],
    ['/compose', 'New campaign'],
    ['/rejected', 'Rejected events'],
    [`/rejected/${world.ids.rejection}`, 'misspelt'],
    ['/reports?by=zone', 'Reports'],
    ['/reports?by=localHour&and=zone', 'Reports'],
    ['/reports/lateness', 'Reports'],
    ['/reports/ledger', 'Reports'],
    ['/forecast?ahead=7d&by=campaign', 'Forecast'],
    ['/alerts', 'Alerts'],
    ['/audiences', 'Audiences'],
    ['/audiences/zones', 'Audiences'],
    [`/audiences/drift?service=${SERVICE}`, 'Audiences'],
    ['/audiences/erasures', 'Audiences'],
    ['/projects', 'Projects'],
    ['/tokens', 'Tokens'],
    ['/webhooks', 'Webhooks'],
    ['/audit', 'Audit'],
    ['/nowhere', 'No such page'],
  ];

  it.each([
    [1280, 'light'],
    [1280, 'dark'],
    [390, 'light'],
    [390, 'dark'],
  ] as const)('can be used by all on every page, %s px wide and %s', async (width, colours) => {
    const page = await signedIn('admin', { width, colours });
    for (const [path, title] of PAGES()) {
      await page.goto(`${world.url}${path}`);
      await heading(page, title).waitFor();
      await eventually(async () => (await page.locator('[aria-busy="true"]').count()) === 0);
      expect(await page.evaluate<number>(OVERHANG), path).toBeLessThanOrEqual(0);
      expect([path, await barriersOf(page)]).toEqual([path, []]);
    }
  });

  it('has no word outside the texts of a language, and holds longer ones', async () => {
    const page = await signedIn('admin');
    await page.goto(`${world.url}/campaigns?lang=qps`);
    await page.getByText('⟦Campaigns').first().waitFor();
    const shown = await page.locator('nav a, th, h1, button, label > span').allTextContents();
    const bare = shown.filter(
      (text) => /[A-Za-z]{3}/.test(text) && !text.includes('⟦') && !text.startsWith('demo'),
    );
    expect(bare).toEqual([]);
  });

  it('uploads a list from a file, and says what is wrong with one', async () => {
    const page = await signedIn('publisher');
    await page.goto(`${world.url}/audiences`);
    await page.getByText('No list yet.').waitFor();
    await page.getByRole('button', { name: 'Upload a list…' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Service').fill(SERVICE);
    await sheet.getByLabel('List', { exact: true }).fill('vip');
    const send = async (content: string): Promise<void> => {
      const chooser = page.waitForEvent('filechooser');
      await sheet.getByLabel(/^File/).click();
      const file = { name: 'vip.csv', mimeType: 'text/csv', buffer: Buffer.from(content) };
      await (await chooser).setFiles(file);
      await sheet.getByRole('button', { name: 'Upload a list', exact: true }).click();
    };
    await send('reader-1,Asia/Seoul,too much\n');
    await sheet.getByText('INVALID_ROWS').waitFor();
    await send('reader-1,Asia/Seoul\nreader-2,KST\nreader-1\n');
    await sheet.getByText('The list has 2 ids. 1 rows named an id again.').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'vip' }).click();
    await page.getByText('counts now').waitFor();
    const told = open[0]?.faults.splice(0) ?? [];
    expect(told.every((fault) => fault.includes('status of 422'))).toBe(true);
  });

  it('shows an analyst whose clocks differ, once a publisher has said where somebody lives', async () => {
    const publisher = await signedIn('publisher');
    await publisher.goto(`${world.url}/audiences/zones?service=${SERVICE}`);
    const put = async (zone: string, answer: string): Promise<void> => {
      await publisher.getByLabel('User id').fill('reader-2');
      await publisher.getByLabel(/^Zone/).fill(zone);
      await publisher.getByRole('button', { name: 'Set the zone' }).click();
      await publisher.getByText(answer).waitFor();
    };
    await put('Europe/Pariss', 'Europe/Paris perhaps');
    const soon = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    // A preview that looks up: the push service says which offset the user registered.
    await world.call('POST', '/v1/plans?lookUp=true', {
      serviceId: SERVICE,
      audience: { type: 'USER', to: ['reader-2'] },
      message: { default: { content: 'Hello' } },
      delivery: { at: `${soon}T09:00`, zone: 'recipient' },
    });
    await put('America/New_York', 'Zones set: 1, deleted: 0.');

    const analyst = await signedIn('analyst');
    await analyst.goto(`${world.url}/`);
    await analyst.getByRole('link', { name: 'Audiences', exact: true }).click();
    await analyst.getByLabel('Service', { exact: true }).fill(SERVICE);
    const row = analyst.locator('tr[data-row]').filter({ hasText: 'reader-2' });
    await row.getByText('America/New_York').waitFor();
    expect(await row.textContent()).toMatch(/later/);
    await publisher.getByRole('button', { name: 'Delete the zone' }).click();
    await publisher.getByText('Zones set: 0, deleted: 1.').waitFor();
  });

  it('erases a user whose id an admin typed twice, and shows the certificate at an address of its own', async () => {
    await world.call('PUT', `/v1/recipients/zones?serviceId=${SERVICE}`, {
      recipients: [{ userId: 'leaver', zone: 'Asia/Seoul' }],
    });
    const page = await signedIn('admin');
    await page.goto(`${world.url}/audiences?service=${SERVICE}&lang=en`);
    await page.getByRole('link', { name: 'Erase a user' }).click();
    const erase = page.getByRole('button', { name: 'Erase the user' });
    await page.getByLabel('User id', { exact: true }).fill('leaver');
    await page.getByLabel('User id again').fill('leave');
    await page.getByText('The two ids differ.').waitFor();
    expect(await erase.isDisabled()).toBe(true);
    await page.getByLabel('User id again').fill('leaver');
    await erase.click();
    await heading(page, 'Erasure').waitFor();
    await page.getByText('The last pass found the id in no table.').waitFor({ timeout: 30_000 });
    await page.reload();
    await page.getByRole('row', { name: /recipient_zone\s*1/ }).waitFor();
    expect(await page.locator('main').textContent()).not.toContain('leaver');
    expect(await barriersOf(page, ['label-content-name-mismatch'])).toEqual([]);
  });

  it('takes the language from the address, where it stays no filter', async () => {
    const page = await signedIn('operator');
    await page.goto(`${world.url}/campaigns?lang=en&state=ended`);
    await page.getByRole('button', { name: 'Clear the filters' }).waitFor();
    await page.goto(`${world.url}/campaigns?lang=en`);
    await page.getByRole('link', { name: 'To everybody at once' }).waitFor();
    expect(await page.getByRole('button', { name: 'Clear the filters' }).count()).toBe(0);
  });

  it('leads an analyst from a sum that adds up to a list of as many sends, and back', async () => {
    const page = await signedIn('analyst');
    await page.goto(`${world.url}/reports?by=mode&service=${SERVICE}&range=24h`);
    await heading(page, 'Reports').waitFor();
    await page.getByText('adds up').waitFor();
    await page.getByRole('img').locator('canvas').waitFor();
    const row = page.getByRole('row').filter({ hasText: 'at once' });
    const figure = row.getByRole('link').first();
    const planned = Number(await figure.textContent());
    const csv = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    const file = await page.context().request.get(`${world.url}${csv ?? ''}`);
    expect((await file.text()).split('\n').filter((line) => line.startsWith('immediate,'))).toHaveLength(1);
    await figure.click();
    await heading(page, 'Sends').waitFor();
    await page.locator('tr[data-row]').first().waitFor();
    expect(await page.locator('tr[data-row]').count()).toBe(planned);
    await page.goBack();
    await heading(page, 'Reports').waitFor();
    await page.getByRole('link', { name: 'Ledger' }).click();
    await page.getByText('Nothing is missing').waitFor();
    expect(await page.getByText('does not add up').count()).toBe(0);
  });
});
