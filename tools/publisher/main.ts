// `npm run publisher`: builds the publisher package and packs it, ready for `npm install` or `npm publish`.
import { stateRoot } from '../project.js';
import { buildPublisher, packPublisher } from './build-publisher.js';

await buildPublisher();
process.stdout.write(`${await packPublisher(stateRoot)}\n`);
