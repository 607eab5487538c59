// push-decisions.md, "Management": one user of a service, for people who ask why somebody got nothing.
import { Controller, Get, Param } from '@nestjs/common';
import { Database } from '../../platform/database/database.js';
import { findUser } from '../users/user.store.js';
import type { KnownUser } from './management-answers.js';
import { findService } from './management.store.js';
import { requireFound } from './require-found.js';

/** The last characters of a device's token, by which it is recognized; the whole token would reach the device. */
const SHOWN = 6;

@Controller('v1/services')
export class UsersAdminController {
  constructor(private readonly database: Database) {}

  /** Consents, zone, and the active devices; of their tokens only the end. */
  @Get(':serviceId/users/:userId')
  async user(@Param('serviceId') serviceId: string, @Param('userId') userId: string): Promise<KnownUser> {
    requireFound(await findService(this.database, serviceId), 'service');
    const found = requireFound(await findUser(this.database, serviceId, userId), 'user');
    const { country, language, timezone, channelName, createTime, updateTime, devices } = found;
    return {
      userId,
      country,
      language,
      timezone,
      channelName: channelName ?? null,
      consents: {
        notification: found.notificationAgreement,
        ad: found.adAgreement,
        nightAd: found.nightAdAgreement,
      },
      createdAt: createTime.toISOString(),
      updatedAt: updateTime.toISOString(),
      devices: devices.map(({ deviceType, deviceToken }) => ({
        deviceType,
        tokenEnd: deviceToken.slice(-SHOWN),
      })),
    };
  }
}
