// push-interface.md §2.1 and §2.2: users and channels as they are on the wire.
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

/** push-interface.md §2.1: the body of GET users/{userId}. A consent never given has the time null. */
export interface UserView {
  userId: string;
  country: string;
  language: string;
  timezone: number;
  channelName: string | null;
  notificationAgreement: boolean;
  adAgreement: boolean;
  nightAdAgreement: boolean;
  notificationAgreementTime: string | null;
  adAgreementTime: string | null;
  nightAdAgreementTime: string | null;
  createTime: string;
  updateTime: string;
  devices: { deviceType: DeviceType; deviceToken: string }[];
}

/** Extension `target-timezone`: one row per registered offset, seconds from UTC. */
export interface TimezoneCount {
  timezone: number;
  users: number;
  devices: number;
}

/** push-interface.md §2.2: a channel in an answer; the times are LocalDateTime texts of the service's zone. */
export interface ChannelView {
  channelName: string;
  channelDesc: string | null;
  createTime: string;
  updateTime: string | null;
}
