// push-interface.md §2.3 to §2.5: the body of POST messages, as it is on the wire.
import type { DeviceType, MessageType, TargetType } from './statuses.js';

/** push-interface.md §2.5: `default` and one member per language code. */
export type I18n = Readonly<Record<string, { readonly content: string }>>;

/** push-interface.md §2.4: the shape of default, gcm and apns alike. */
export interface MessageContent {
  readonly content?: string | null | undefined;
  readonly custom?: Readonly<Record<string, unknown>> | null | undefined;
  readonly option?: Readonly<Record<string, unknown>> | null | undefined;
  readonly i18n?: I18n | null | undefined;
}

/** push-interface.md §2.4: `default` applies to every push type that has no member of its own. */
export interface CommonMessage {
  readonly default: MessageContent;
  readonly gcm?: MessageContent | null | undefined;
  readonly apns?: MessageContent | null | undefined;
  readonly i18n?: I18n | null | undefined;
}

/** push-interface.md §2.3; `timezone` is the extension `target-timezone`: registered offsets, seconds from UTC. */
export interface MessageTarget {
  readonly type: TargetType;
  readonly deviceType?: DeviceType | null;
  readonly to?: readonly string[] | null;
  readonly country?: readonly string[] | null;
  readonly timezone?: readonly number[] | null;
}

/** push-interface.md §2.3: the body of POST messages. */
export interface MessageRequest {
  readonly messageType?: MessageType | null;
  readonly target: MessageTarget;
  readonly message: CommonMessage;
  /** `yyyy-MM-dd HH:mm` in reserveTimeZone. */
  readonly reserveTime?: string | null;
  readonly reserveTimeZone?: string | null;
  readonly scheduleCode?: string | null;
}
