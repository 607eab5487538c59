// What FCM v1 and APNs are handed, against golden files: from the request as a client sends it to the body and headers of
// one device. Held to what the providers' own pages say of their requests:
// https://firebase.google.com/docs/reference/fcm/rest/v1/projects.messages (Message, AndroidConfig, AndroidNotification),
// https://developer.apple.com/documentation/usernotifications/sending-notification-requests-to-apns and
// https://developer.apple.com/documentation/usernotifications/generating-a-remote-notification.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { DeviceType } from '../../src/push-contract/statuses.js';
import { APNS_OPTIONS } from '../../src/push-service/delivery/apns/apns-payload.js';
import { ANDROID_OPTIONS } from '../../src/push-service/delivery/fcm/fcm-payload.js';
import { handoverOf, renderVariant } from '../../src/push-service/delivery/render.js';
import { validate } from '../../src/push-service/gateway/validate.js';
import { MessageRequest } from '../../src/push-service/messages/message-request.js';

interface Golden {
  readonly says: string;
  readonly message: Record<string, { option?: Record<string, unknown> }>;
  readonly devices: readonly {
    readonly deviceType: DeviceType;
    readonly language: string;
    readonly token: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly payload: Record<string, unknown>;
  }[];
}

const folder = new URL('push-payloads/', import.meta.url);
const files = readdirSync(folder)
  .sort()
  .map((name) => ({ name, golden: JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Golden }));

describe.each(files)('$name', ({ golden }) => {
  it.each(golden.devices)(`${golden.says}: $deviceType $language`, (device) => {
    // The form a message is kept in, and read from by whoever sends it.
    const given = validate(MessageRequest, { target: { type: 'ALL' }, message: golden.message });
    const { message } = JSON.parse(JSON.stringify(given)) as MessageRequest;
    const handed = handoverOf(renderVariant(message, device.deviceType, device.language), device.token);
    expect(JSON.parse(handed.payload)).toEqual(device.payload);
    expect(handed.headers).toEqual(device.headers);
    expect([handed.deviceType, handed.token]).toEqual([device.deviceType, device.token]);
  });
});

/** Of AndroidConfig and of AndroidNotification, as the FCM reference lists them. */
const ANDROID_CONFIG =
  'collapse_key priority ttl restricted_package_name data notification fcm_options direct_boot_ok bandwidth_constrained_ok restricted_satellite_ok';
const ANDROID_NOTIFICATION =
  'title body icon color sound tag click_action body_loc_key body_loc_args title_loc_key title_loc_args channel_id ticker sticky event_time local_only notification_priority default_sound default_vibrate_timings default_light_settings vibrate_timings visibility notification_count light_settings image bypass_proxy_notification proxy';

describe('the golden files', () => {
  const optionOf = (file: string, type: string): Record<string, unknown> =>
    files.find(({ name }) => name === file)?.golden.message[type]?.option ?? {};

  it('hold every option that is handed over', () => {
    expect(Object.keys(optionOf('fcm-every-option.json', 'gcm'))).toEqual(
      expect.arrayContaining([...ANDROID_OPTIONS]),
    );
    expect(Object.keys(optionOf('apns-every-option.json', 'apns'))).toEqual(
      expect.arrayContaining([...APNS_OPTIONS]),
    );
  });

  it('hold every field of AndroidConfig and AndroidNotification', () => {
    const android = optionOf('fcm-every-option.json', 'gcm')['android'] as Record<string, object>;
    expect(Object.keys(android).toSorted()).toEqual(ANDROID_CONFIG.split(' ').toSorted());
    expect(Object.keys(android['notification'] ?? {}).toSorted()).toEqual(
      ANDROID_NOTIFICATION.split(' ').toSorted(),
    );
  });
});
