// The Chromium of the system, driven as a person would use it. What a page must never do (break its policy, write an error, ask a stranger) is
// noted for every page, and asserted by whoever closes it.
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';

const PLACES = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** undefined: this machine has none. */
export const CHROMIUM = PLACES.find((place) => existsSync(place));

const TELL_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI));`;

export interface Looks {
  readonly width: number;
  readonly colours: 'light' | 'dark';
}

export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** What no page may do, in words. A refused sign-in is an answer, and no fault of the page. */
  readonly faults: string[];
}

export function openBrowser(): Promise<Browser> {
  if (CHROMIUM === undefined) throw new Error('there is no chromium here');
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export async function watchedPage(
  browser: Browser,
  origin: string,
  { width, colours }: Looks,
): Promise<Watched> {
  const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme: colours });
  const page = await context.newPage();
  const faults: string[] = [];
  // Text, for what runs in the page is no program of ours.
  await page.addInitScript({ content: TELL_VIOLATIONS });
  page.on('console', (message) => {
    const isRefusal = /status of 401/.test(message.text());
    if (message.type() === 'error' && !isRefusal) faults.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.origin !== origin && url.protocol !== 'data:') faults.push(`stranger: ${request.url()}`);
  });
  return { page, context, faults };
}
