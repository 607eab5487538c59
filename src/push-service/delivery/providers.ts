// The providers through which this process reaches devices, at the addresses of its configuration. It sends credentials to no
// other host.
import type { Clock } from '../../platform/clock.js';
import type { Log } from '../../platform/logging/log.js';
import { ApnsProvider } from './apns/apns-provider.js';
import { FcmProvider } from './fcm/fcm-provider.js';
import type { Http2Provider } from './over-http2/http2-provider.js';
import type { CredentialSource } from './provider-port.js';
import type { PushServiceConfig } from '../push-service.config.js';

/** Injects the Providers. */
export const PROVIDERS = Symbol('Providers');

export interface Providers {
  readonly fcm: Http2Provider;
  readonly apns: Http2Provider;
  /** Waits for open calls, and cuts them after `ms`. */
  close(ms: number): Promise<void>;
}

export function openProviders(
  config: PushServiceConfig,
  given: { readonly credentials: CredentialSource; readonly clock: Clock; readonly log: Log },
): Providers {
  const ca = config.PUSH_PROVIDER_CA;
  const common = { ...given, ...(ca === undefined ? {} : { ca }) };
  const fcm = new FcmProvider({
    ...common,
    origin: config.PUSH_FCM_URL,
    tokenUrl: config.PUSH_FCM_TOKEN_URL,
    perSecond: config.PUSH_FCM_RATE,
  });
  const origins = { production: config.PUSH_APNS_URL, sandbox: config.PUSH_APNS_SANDBOX_URL };
  const apns = new ApnsProvider({ ...common, origins });
  const close = async (ms: number): Promise<void> => {
    await Promise.all([fcm.close(ms), apns.close(ms)]);
  };
  return { fcm, apns, close };
}
