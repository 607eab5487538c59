import { describe, expect, it } from 'vitest';
import {
  channelUserPath,
  messagePath,
  reservationPath,
  reserveStatusPath,
  scheduledMessagePath,
  userPath,
  timezonesPath,
} from './paths.js';

describe('push-interface.md §4 the paths', () => {
  it('carries the version and the service id', () => {
    expect(messagePath('svc', 'r-1')).toBe('/push/v2/services/svc/messages/r-1');
    expect(reserveStatusPath('svc', 'r-1')).toBe('/push/v2/services/svc/reservations/r-1/reserve-status');
    expect(reservationPath('svc', 'r-1')).toBe('/push/v2/services/svc/reservations/r-1');
    expect(scheduledMessagePath('svc', 'daily', 'm')).toBe(
      '/push/v2/services/svc/schedules/daily/messages/m',
    );
  });

  it('encodes each segment, so that a name never becomes a path of its own', () => {
    expect(userPath('svc:push:kr', 'a/b?c#d%')).toBe(
      '/push/v2/services/svc%3Apush%3Akr/users/a%2Fb%3Fc%23d%25',
    );
    expect(channelUserPath('p', '공지', 'ü')).toBe(
      '/push/v2/services/p/channels/%EA%B3%B5%EC%A7%80/users/%C3%BC',
    );
    expect([timezonesPath('p', 'a b&c', 0), timezonesPath('p', undefined, 2)]).toEqual([
      '/push/v2/services/p/timezones?channelName=a%20b%26c',
      '/push/v2/services/p/timezones?pageIndex=2',
    ]);
  });
});
