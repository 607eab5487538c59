// The push service's management API as the demo uses it: services, and what the sandbox can be made to do and show.
import { z } from 'zod';
import { callWithToken, type KeyPair } from './push-client.js';

const CreatedService = z.object({ key: z.object({ accessKey: z.string(), secretKey: z.string() }) });
const Deliveries = z.array(
  z.object({
    userId: z.string().nullable(),
    deviceType: z.string(),
    outcome: z.enum(['sent', 'failed', 'unknown']),
    handedAt: z.iso.datetime(),
  }),
);
export type DeviceDelivery = z.output<typeof Deliveries>[number];

const Messages = z.array(z.object({ requestId: z.string() }));
const Faults = z.array(z.object({ struck: z.number() }));

export interface ManagementAddress {
  managementUrl: string;
  tokens: { management: string };
}

export class Management {
  constructor(private readonly address: ManagementAddress) {}

  /** A new service under an account of its own. Only this answer shows the key pair. */
  async createService(serviceId: string): Promise<KeyPair> {
    return CreatedService.parse(await this.#call('POST', '/v1/services', { serviceId })).key;
  }

  /** Sets the credential by which the service's devices of a type are reached from now on. */
  async putCredential(serviceId: string, kind: 'fcm' | 'apns', body: object): Promise<void> {
    await this.#call('PUT', `/v1/services/${encodeURIComponent(serviceId)}/credentials/${kind}`, body);
  }

  /** Any fault of the sandbox (push-service/management/faults.ts). */
  async addFault(fault: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#call('POST', '/v1/sandbox/faults', fault);
  }

  /** How often the faults that are listed have struck. */
  async faultsStruck(): Promise<number> {
    const faults = Faults.parse(await this.#call('GET', '/v1/sandbox/faults'));
    return faults.reduce((sum, { struck }) => sum + struck, 0);
  }

  async failNextReservation(serviceId: string): Promise<void> {
    await this.addFault({ kind: 'firing', ending: 'FAIL', serviceId, count: 1 });
  }

  /** One firing of every message attached to the schedule. */
  async fireSchedule(serviceId: string, scheduleCode: string): Promise<void> {
    const [service, code] = [serviceId, scheduleCode].map(encodeURIComponent);
    await this.#call('POST', `/v1/sandbox/services/${service}/schedules/${code}/fire`);
  }

  /** What became of each device of a request; at most 10 000. */
  async deliveries(requestId: string): Promise<DeviceDelivery[]> {
    const query = new URLSearchParams({ requestId, limit: '10000' });
    return Deliveries.parse(await this.#call('GET', `/v1/sandbox/deliveries?${query.toString()}`));
  }

  /** How many devices of each type took the message of a request; at most 10 000 are looked at. */
  async deliveredTo(requestId: string): Promise<Record<string, number>> {
    const counts: Record<string, number> = {};
    for (const { deviceType, outcome } of await this.deliveries(requestId)) {
      if (outcome === 'sent') counts[deviceType] = (counts[deviceType] ?? 0) + 1;
    }
    return counts;
  }

  /** The ids of all requests that the service has taken, oldest first; at most 10 000. */
  async requestsTaken(serviceId: string): Promise<string[]> {
    const path = `/v1/sandbox/services/${encodeURIComponent(serviceId)}/messages?limit=10000`;
    return Messages.parse(await this.#call('GET', path)).map(({ requestId }) => requestId);
  }

  #call(method: string, path: string, body?: unknown): Promise<unknown> {
    const { managementUrl: url, tokens } = this.address;
    return callWithToken({ url, token: tokens.management }, method, path, body);
  }
}
