// Checks whether a project's push gateway can be used: whether it answers, takes our signature, and agrees with our clock. Sends no
// message: it asks for the result of a message that does not exist.
import { DateTime } from 'luxon';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Clock } from '../../../platform/clock.js';
import { listOf } from '../../../platform/http/zod-schemas.js';
import { ADDRESS_REFUSED, REFUSED_ADDRESS_TEXT } from '../../push-client/gateway-hosts.js';
import type { PushAnswer } from '../../push-client/push-api.js';
import { notCalledProblem } from '../../push-client/blocks/not-called-problem.js';
import type { NotCalled, ProjectCalls } from '../../push-client/project-calls.js';
import type { UndiciPushApi } from '../../push-client/undici-push-api.js';
import type { Project } from '../../store/project.store.js';
import { addressWarnings } from './project-body.js';

const GatewayCheck = z.object({
  name: z.enum(['reachability', 'signature', 'clock', 'tls', 'extensions']),
  ok: z.boolean(),
  text: z.string().describe('What was seen, or what to do'),
});
type GatewayCheck = z.output<typeof GatewayCheck>;

export const GatewayReport = z
  .object({ ok: z.boolean(), checks: listOf(GatewayCheck) })
  .meta({ id: 'GatewayReport' });
export type GatewayReport = z.output<typeof GatewayReport>;

/** push-interface.md §5 refuses a timestamp that is five minutes off; a minute already means that a clock is wrong. */
const CLOCK_TOLERANCE_MS = 60_000;
const REACH_TIMEOUT_MS = 5_000;

export class CheckGateway {
  constructor(
    private readonly pushApi: Pick<UndiciPushApi, 'result' | 'reach'>,
    private readonly clock: Clock,
    private readonly calls: ProjectCalls,
  ) {}

  /** Throws 429 or 503 where the project's rate, or a wait that its gateway asked for, leaves no turn. */
  async check(project: Project): Promise<GatewayReport> {
    const [reached, signed] = await Promise.all([this.#reach(project), this.#sign(project)]);
    const checks = [...reached, ...signed, ...tlsCheck(project.baseUrl)];
    return { ok: checks.every(({ ok }) => ok), checks };
  }

  /** Makes an unsigned request: the Date of any answer shows the gateway's clock. */
  async #reach(project: Project): Promise<GatewayCheck[]> {
    const { serviceId, baseUrl } = project;
    const name = 'reachability';
    this.#mayCall(await this.calls.turn(serviceId, 'check'));
    // Unsigned, so its answer says nothing about the project's keys; a 429 also comes to the signed request.
    const answer = await this.pushApi.reach(project, REACH_TIMEOUT_MS);
    if (answer.kind === 'unanswered') {
      const refused = answer.error === ADDRESS_REFUSED;
      const text = refused
        ? REFUSED_ADDRESS_TEXT
        : `${baseUrl} does not answer (${answer.error}): check baseUrl, DNS and the network`;
      return [{ name, ok: false, text }];
    }
    if (answer.status >= 300 && answer.status < 400) {
      const text = `${baseUrl} answers with a redirect (${answer.status}), which is never followed: set its real address`;
      return [{ name, ok: false, text }];
    }
    return [{ name, ok: true, text: `${baseUrl} answers` }, ...this.#clockCheck(answer.headers['date'])];
  }

  #clockCheck(header: string | string[] | undefined): GatewayCheck[] {
    const date = DateTime.fromHTTP([header].flat()[0] ?? '');
    if (!date.isValid) return [];
    // A Date has no fraction of a second: it is right for the whole second that it names.
    const seconds = Math.floor((this.clock.now() - date.toMillis()) / 1_000);
    const ok = Math.abs(seconds) * 1_000 <= CLOCK_TOLERANCE_MS;
    const off =
      seconds === 0
        ? 'agrees with the gateway’s'
        : `is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead of' : 'behind'} the gateway’s`;
    return [{ name: 'clock', ok, text: ok ? `our clock ${off}` : `our clock ${off}: set it by NTP` }];
  }

  async #sign(project: Project): Promise<GatewayCheck[]> {
    if (project.keyFault !== undefined) return [{ name: 'signature', ok: false, text: project.keyFault }];
    if (project.keys.length === 0) {
      return [{ name: 'signature', ok: false, text: 'the project has no key: add one' }];
    }
    const { serviceId } = project;
    const called = await this.calls.call(serviceId, 'check', () => this.pushApi.result(serviceId, v7()));
    if (called.kind !== 'called') throw notCalledProblem(called, this.clock.now());
    // A 429 says nothing about the key.
    this.#mayCall(await this.calls.heldBack(serviceId, 'check'));
    return [signatureCheck(called.answer), ...extensionsCheck(project, called.answer)];
  }

  #mayCall(held: NotCalled | undefined): void {
    if (held !== undefined) throw notCalledProblem(held, this.clock.now());
  }
}

function signatureCheck(answer: PushAnswer): GatewayCheck {
  const name = 'signature';
  if (answer.kind === 'unanswered')
    return { name, ok: false, text: `the signed request got no answer (${answer.error})` };
  if (answer.status === 401)
    return {
      name,
      ok: false,
      text: 'the gateway refuses the key: check access key, secret, clock, and that it may use the serviceId',
    };
  if (answer.status === 403)
    return { name, ok: false, text: 'the gateway does not let this key use the serviceId' };
  if (answer.status >= 500)
    return { name, ok: false, text: `the gateway answers ${answer.status}: try again` };
  return { name, ok: true, text: 'the gateway takes the key' };
}

/** What the gateway offers, and what of that the project does not use. None of it is a fault. */
function extensionsCheck({ extensionsOff }: Project, answer: PushAnswer): GatewayCheck[] {
  if (answer.kind === 'unanswered' || answer.status === 401 || answer.status === 403) return [];
  const offers = answer.offers ?? [];
  const off = offers.filter((name) => extensionsOff.includes(name));
  const used = offers.filter((name) => !extensionsOff.includes(name));
  const texts = [
    used.length === 0 ? 'the gateway offers none that are used' : `uses ${used.join(', ')}`,
    ...(off.length === 0 ? [] : [`switched off by extensionsOff: ${off.join(', ')}`]),
  ];
  return [{ name: 'extensions', ok: true, text: texts.join('; ') }];
}

function tlsCheck(baseUrl: string): GatewayCheck[] {
  return addressWarnings(baseUrl).map((text) => ({ name: 'tls', ok: false, text }));
}
