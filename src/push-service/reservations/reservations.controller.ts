// push-interface.md §4.4: the status of a reservation, and its cancellation.
import type { ReservationStatus } from '../gateway/answers.js';
import { Controller, Delete, Get, HttpCode, Inject } from '@nestjs/common';
import type { ReserveStatus } from '../../push-contract/statuses.js';
import type { Clock } from '../../platform/clock.js';
import { CLOCK } from '../../platform/injection-tokens.js';
import { Database } from '../../platform/database/database.js';
import type { ServiceFacts } from '../gateway/access.store.js';
import { badRequest, requireFound } from '../gateway/push-error.js';
import { PathId, Service } from '../gateway/request-parameters.js';
import { cancelReady, findReservation, type ReservationRow } from './reservation.store.js';

@Controller('push/v2/services/:serviceId/reservations')
export class ReservationsController {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Get(':reserveId/reserve-status')
  async status(
    @Service() service: ServiceFacts,
    @PathId('reserveId') reserveId: string,
  ): Promise<ReservationStatus> {
    const { state, ...reservation } = await this.#found(service, reserveId);
    return { ...reservation, reserveStatus: RESERVE_STATUSES[state] };
  }

  /** READY → 204; already CANCELED → 204; later states → 400; unknown → 404. */
  @Delete(':reserveId')
  @HttpCode(204)
  async cancel(@Service() service: ServiceFacts, @PathId('reserveId') reserveId: string): Promise<void> {
    if (await cancelReady(this.database, service.id, reserveId, new Date(this.clock.now()))) return;
    const { state } = await this.#found(service, reserveId);
    const status = RESERVE_STATUSES[state];
    if (status !== 'CANCELED')
      throw badRequest(`reserveId: the reservation is ${status} and cannot be cancelled`);
  }

  async #found(service: ServiceFacts, id: string): Promise<ReservationRow> {
    const row = await findReservation(this.database, service.id, id);
    return requireFound(row, 'reserveId: there is no such reservation');
  }
}

/** push-interface.md §3. DONE means that the targets are expanded. Devices may still wait for their push. */
const RESERVE_STATUSES = {
  READY: 'READY',
  PROCESSING: 'PROCESSING',
  FIRED: 'DONE',
  FINISHED: 'DONE',
  CANCELED: 'CANCELED',
  FAIL: 'FAIL',
  STALE: 'STALE',
} as const satisfies Record<ReservationRow['state'], ReserveStatus>;
