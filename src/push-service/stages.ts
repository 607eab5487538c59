// A whole push service: its stages in their order, with what one asks of another as a port. Every replica runs all loops; each
// passes over rows that another has locked. They go fire → expand → deliver: each wakes the next.
import { addStages } from '../platform/stage.js';
import { coreStage } from './core-stage.js';
import { createCore, type Given } from './core.js';
import { credentialsStage } from './credentials/stage.js';
import { deliveryStage } from './delivery/stage.js';
import { fireStage } from './fire-stage.js';
import { retentionStage } from './retention/stage.js';

export function createStages(given: Given) {
  const core = createCore(given);
  const delivery = deliveryStage(core);
  addStages(
    [
      fireStage(core, delivery.wakeExpansion),
      delivery,
      coreStage(core),
      credentialsStage(core),
      retentionStage(core),
    ],
    core,
  );
  return {
    ...core,
    /** Waits until every claim has ended. Call it once the loops have stopped. */
    deliveryEnded: delivery.ended,
  };
}
