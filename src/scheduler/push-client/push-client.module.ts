// The way to the gateways, one for the whole process, and what is told of their clocks.
import { Global, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import { Health } from '../../platform/health.js';
import type { Log } from '../../platform/log.js';
import { CLOCK, LOG } from '../../platform/tokens.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { GatewayClocks } from './gateway-clocks.js';
import { ProjectCalls } from './project-calls.js';

class Release implements BeforeApplicationShutdown {
  constructor(private readonly calls: ProjectCalls) {}

  async beforeApplicationShutdown(): Promise<void> {
    await this.calls.stop();
  }
}

@Global()
@Module({
  providers: [
    {
      provide: ProjectCalls,
      inject: [Database, PROJECTS, CLOCK, LOG],
      useFactory: (sql: Database, projects: ProjectStore, clock: Clock, log: Log) =>
        new ProjectCalls({ sql, projects, clock, log }),
    },
    {
      provide: GatewayClocks,
      inject: [ProjectCalls, CLOCK, LOG, Health],
      useFactory: clocksFrom,
    },
    { provide: Release, inject: [ProjectCalls], useFactory: (calls: ProjectCalls) => new Release(calls) },
  ],
  exports: [ProjectCalls, GatewayClocks],
})
export class PushClientModule {}

function clocksFrom(calls: ProjectCalls, clock: Clock, log: Log, health: Health): GatewayClocks {
  const clocks = new GatewayClocks(calls.troubles, clock, log);
  health.add('gateway clocks', () => (clocks.note === undefined ? undefined : { note: clocks.note }));
  return clocks;
}
