// What carillon openapi prints: the document that a scheduler serves at /openapi.json, for programs that make clients of it.
import { PublishedContracts } from '../scheduler/documents/published.js';
import { CONTROLLERS } from '../scheduler/stages.js';
import { print } from './shell/output.js';

export function printOpenApi(): void {
  print({ json: true }, new PublishedContracts(() => CONTROLLERS).read('openapi.json'), '');
}
