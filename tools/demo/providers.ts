// `--providers`: the demo's devices reached over HTTP/2 through peers of FCM and APNs on this machine, instead of the
// sandbox provider; and whether they took what the push service says they did.
import type { DeviceType } from '../../src/push-contract/statuses.js';
import { openAccounts, type ProviderAccounts } from '../peers/accounts.js';
import { apnsError } from '../peers/apns-peer.js';
import { fcmError } from '../peers/fcm-peer.js';
import type { DemoService } from './examples.js';
import type { Management } from './management.js';
import { total } from './verify.js';

/** The peer refuses tokens that begin so, as the sandbox provider does. */
const REFUSED = 'fail-';
/** More pushes than the demo sends to a device. */
const OFTEN = 1_000;

export class DemoProviders {
  private constructor(private readonly accounts: ProviderAccounts | undefined) {}

  /** Without peers the push service uses its sandbox provider, and the other members do nothing. */
  static async open(services: readonly DemoService[], withPeers: boolean): Promise<DemoProviders> {
    if (!withPeers) return new DemoProviders(undefined);
    const accounts = await openAccounts();
    const tokens = services.flatMap(({ users }) => users.flatMap(({ devices }) => devices));
    for (const { deviceToken } of tokens.filter(({ deviceToken: token }) => token.startsWith(REFUSED))) {
      const refusals = {
        fcm: fcmError(403, 'PERMISSION_DENIED', 'SENDER_ID_MISMATCH'),
        apns: apnsError(413, ''),
      };
      for (const kind of ['fcm', 'apns'] as const)
        accounts[kind].tally.script(deviceToken, ...Array.from({ length: OFTEN }, () => refusals[kind]));
    }
    return new DemoProviders(accounts);
  }

  /** Environment of the push service. */
  get env(): Readonly<Record<string, string>> {
    return this.accounts?.env ?? {};
  }

  /** Before its first message. */
  async giveCredentials(management: Management, serviceIds: readonly string[]): Promise<void> {
    if (this.accounts === undefined) return;
    const { bodies } = this.accounts;
    for (const serviceId of serviceIds)
      for (const kind of ['fcm', 'apns'] as const)
        await management.putCredential(serviceId, kind, bodies[kind]);
  }

  /** Says what was taken, and returns whether it is what the push service reports as sent. */
  async agree(
    management: Management,
    serviceIds: readonly string[],
    say: (sentence: string) => void,
  ): Promise<boolean> {
    if (this.accounts === undefined) return true;
    const sent: Record<DeviceType, number> = { GCM: 0, APNS: 0 };
    for (const serviceId of serviceIds) {
      for (const requestId of await management.requestsTaken(serviceId)) {
        const delivered = await management.deliveredTo(requestId);
        sent.GCM += delivered['GCM'] ?? 0;
        sent.APNS += delivered['APNS'] ?? 0;
      }
    }
    const { fcm, apns } = this.accounts;
    const taken: Record<DeviceType, number> = {
      GCM: total(Object.fromEntries(fcm.tally.all)),
      APNS: total(Object.fromEntries(apns.tally.all)),
    };
    const agrees = taken.GCM === sent.GCM && taken.APNS === sent.APNS && taken.GCM > 0 && taken.APNS > 0;
    say(
      `FCM took ${taken.GCM} messages and APNs ${taken.APNS}; sent, says the push service: ${sent.GCM} and ${sent.APNS}` +
        (agrees ? '' : ' — NOT the same'),
    );
    return agrees;
  }

  async close(): Promise<void> {
    await this.accounts?.close();
  }
}
