// push-interface.md §2.1: users as they are on the wire.
import type { DeviceType } from './statuses.js';

/** push-interface.md §2.1: the body of POST users. */
export interface UserRegistration {
  readonly userId: string;
  readonly country?: string | null;
  readonly language?: string | null;
  /** Seconds from UTC. */
  readonly timezone?: number | null;
  readonly channelName?: string | null;
  readonly deviceType: DeviceType;
  readonly deviceToken: string;
  readonly isNotificationAgreement: boolean;
  readonly isAdAgreement: boolean;
  readonly isNightAdAgreement: boolean;
}
