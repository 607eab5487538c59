// carillon retries and resolves: many sends in two steps. The preview changes nothing; what it printed is asked about, and then exactly
// that set is worked on.
import { setTimeout as rest } from 'node:timers/promises';
import { z } from 'zod';
import { sendFilterBody } from '../../scheduler/store/read/send-filter.js';
import { resolutionOf, type ResolveOptions } from '../sends/show-send.js';
import { SEND_FILTERS } from '../sends/send-filters.js';
import { agreed } from '../shell/ask.js';
import type { Api } from '../shell/call-api.js';
import { askedFor } from '../shell/filters.js';
import { fromShell } from '../shell/from-shell.js';
import { print, type JsonOption } from '../shell/output.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';
import { SendSet, setText, type SetKind } from './set-text.js';

export interface SetOptions extends JsonOption, Pick<ResolveOptions, 'sent' | 'notSent' | 'reason'> {
  readonly state?: string;
  readonly stale?: true;
  readonly id: readonly string[];
  readonly preview?: true;
  readonly yes?: true;
  readonly wait?: true;
}

/** Between two readings of a set that is gathered or worked on. */
const ASK_AGAIN_MS = 500;

export async function createSet(kind: SetKind, options: SetOptions): Promise<void> {
  const body = bodyOf(kind, options);
  const api = schedulerApi({ role: 'operator' });
  const begun = await callScheduler(api, `/v1/${kind}/preview`, SendSet, JSON.stringify(body));
  const ready = await settled(api, kind, begun, ['gathering', 'asking']);
  if (options.preview === true) return print(options, ready, `${setText(kind, ready)}\nNothing was changed.`);
  if (options.json !== true) process.stdout.write(`${setText(kind, ready)}\n`);
  if ((ready.retry ?? ready.resolve ?? 0) === 0) {
    process.exitCode = 1;
    return print(options, ready, 'Nothing was changed.');
  }
  if (!(await agreed(kind === 'retries' ? 'Retry them?' : 'Resolve them?', options.yes))) {
    process.exitCode = 1;
    return print(options, ready, 'Nothing was changed.');
  }
  const confirmed = await callScheduler(api, `/v1/${kind}`, SendSet, JSON.stringify({ token: ready.token }));
  const seen =
    options.wait === true ? await settled(api, kind, confirmed, ['retrying', 'resolving']) : confirmed;
  const follow = seen.state === 'done' ? '' : `\n"carillon ${kind} show ${seen.token}" says how far it is.`;
  print(options, seen, `${setText(kind, seen)}${follow}`);
}

function bodyOf(kind: SetKind, options: SetOptions): Record<string, unknown> {
  const { httpStatus, ...asked } = askedFor(SEND_FILTERS, options);
  const isNumber = httpStatus !== undefined && /^\d+$/.test(httpStatus);
  const filter = fromShell(z.object(sendFilterBody), {
    ...asked,
    // A campaign's name is known to the scheduler alone.
    campaign: undefined,
    ...(httpStatus !== undefined && { httpStatus: isNumber ? Number(httpStatus) : httpStatus }),
  });
  return {
    ...filter,
    campaign: asked['campaign'],
    ...(options.id.length > 0 && { sends: options.id }),
    ...(kind === 'retries'
      ? { states: options.state?.split(',').map((state) => state.trim()), stale: options.stale }
      : { resolution: resolutionOf(options), reason: options.reason }),
  };
}

/** Reads a set until it is in none of these states. */
async function settled(api: Api, kind: SetKind, begun: SendSet, states: readonly string[]): Promise<SendSet> {
  let set = begun;
  while (states.includes(set.state)) {
    await rest(ASK_AGAIN_MS);
    set = await callScheduler(api, `/v1/${kind}/${set.token}`, SendSet);
  }
  return set;
}

export async function showSet(kind: SetKind, token: string, options: JsonOption): Promise<void> {
  const api = schedulerApi({ role: 'operator' });
  const set = await callScheduler(api, `/v1/${kind}/${encodeURIComponent(token)}`, SendSet);
  print(options, set, setText(kind, set));
}
