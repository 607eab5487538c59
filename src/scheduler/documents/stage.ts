// The published contracts, and the page that shows them.
import type { Type } from '@nestjs/common';
import type { Stage } from '../../platform/stage.js';
import type { Core } from '../core.js';
import { DocumentsController } from './documents.controller.js';
import { PublishedContracts } from './published.js';
import { RootController } from './root.controller.js';
import { ViewerController } from './viewer.controller.js';

export const DOCUMENTS_CONTROLLERS: readonly Type[] = [DocumentsController, RootController, ViewerController];

/** `controllers`: of the whole API. */
export function documentsStage({ topics }: Core, controllers: () => readonly Type[]): Stage {
  return {
    providers: [{ provide: PublishedContracts, useValue: new PublishedContracts(controllers, topics) }],
  };
}
