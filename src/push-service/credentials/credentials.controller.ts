// The provider credentials of a service: set up, change, list, check, remove. Answers never contain a secret.
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Post, Put } from '@nestjs/common';
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database/database.js';
import { notFound } from '../../platform/http/problem.js';
import { Sealer } from '../../platform/secrets/sealed.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { ApnsCredentialBody } from '../delivery/apns/apns-credential.js';
import { ServiceAccountFile } from '../delivery/fcm/service-account.js';
import type { CredentialRow } from '../management/management-answers.js';
import { findService } from '../management/management.store.js';
import { PROVIDERS, type Providers } from '../delivery/providers.js';
import { checkCredential } from './check-credential.js';
import {
  CREDENTIAL_KINDS,
  CREDENTIAL_SECRET,
  credentialChanged,
  deleteCredential,
  listCredentials,
  putCredential,
  type CredentialKind,
  type CredentialSettings,
} from './credential.store.js';

const FcmBody = z.strictObject({ serviceAccount: ServiceAccountFile });
const Kind = z.enum(CREDENTIAL_KINDS);

@Controller('v1/services/:serviceId/credentials')
export class CredentialsController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly sealer: Sealer,
    @Inject(PROVIDERS) private readonly providers: Providers,
  ) {}

  @Get()
  async list(@Param('serviceId') serviceId: string): Promise<CredentialRow[]> {
    if ((await findService(this.database, serviceId)) === undefined) throw notFound('service');
    return listCredentials(this.database, serviceId);
  }

  /** Replaces the old credential at once, as every PUT here does. */
  @Put('fcm')
  async putFcm(
    @Param('serviceId') serviceId: string,
    @Body({ schema: FcmBody }) { serviceAccount }: z.output<typeof FcmBody>,
  ): Promise<CredentialRow> {
    const { project_id: projectId, client_email: clientEmail, private_key_id: privateKeyId } = serviceAccount;
    const settings = { projectId, clientEmail, privateKeyId };
    return this.#put(serviceId, 'fcm', settings, JSON.stringify(serviceAccount));
  }

  @Put('apns')
  async putApns(
    @Param('serviceId') serviceId: string,
    @Body({ schema: ApnsCredentialBody }) { key, ...settings }: z.output<typeof ApnsCredentialBody>,
  ): Promise<CredentialRow> {
    return this.#put(serviceId, 'apns', settings, key);
  }

  /** Open requests still get their answers; the other devices fail. */
  @Delete(':kind')
  @HttpCode(204)
  async remove(
    @Param('serviceId') serviceId: string,
    @Param('kind', { schema: Kind }) kind: CredentialKind,
  ): Promise<void> {
    await this.database.transaction(async (sql) => {
      if (!(await deleteCredential(sql, serviceId, kind))) throw notFound('credential');
      await credentialChanged(sql, { serviceId, kind });
    });
  }

  /** Reaches no device. `checkGood` and `checkSays` are what the provider said. */
  @Post(':kind/check')
  @HttpCode(200)
  async check(
    @Param('serviceId') serviceId: string,
    @Param('kind', { schema: Kind }) kind: CredentialKind,
  ): Promise<CredentialRow> {
    const { database, providers } = this;
    return checkCredential({ database, providers }, serviceId, kind);
  }

  async #put(
    serviceId: string,
    kind: CredentialKind,
    settings: CredentialSettings,
    secret: string,
  ): Promise<CredentialRow> {
    const secretSealed = this.sealer.seal(secret, CREDENTIAL_SECRET, serviceId, kind);
    const now = this.clock.now();
    const given = { id: v7({ msecs: now }), serviceId, kind, settings, secretSealed };
    return this.database.transaction(async (sql) => {
      const row = await putCredential(sql, given, new Date(now));
      if (row === undefined) throw notFound('service');
      await credentialChanged(sql, { serviceId, kind });
      return row;
    });
  }
}
