// `npm run schemas`: writes schemas/, the tables of docs/use/campaign-events.md the publisher package's types and the dashboard's from the schemas
// that events and requests are checked by, and the tables of docs/operate/retention.md from the lists by which rows go. `npm run schemas -- --released` also writes what is promised from then on (schemas/released.json).
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { projectRoot } from '../project.js';
import {
  contractFiles,
  contracts,
  PAGES,
  RELEASED,
  releasedText,
  schemasFolder,
  typesFile,
  webApiFolder,
  withTables,
} from './contract-files.js';
import { publisherTypes } from './publisher-types.js';
import { webFiles } from './web-types.js';

mkdirSync(schemasFolder, { recursive: true });
const files = contractFiles();
for (const name of readdirSync(schemasFolder)) {
  if (name !== RELEASED && !files.has(name)) rmSync(join(schemasFolder, name));
}
for (const [name, text] of files) write(join(schemasFolder, name), text);
if (process.argv.includes('--released')) write(join(schemasFolder, RELEASED), releasedText());
for (const page of Object.keys(PAGES)) write(join(projectRoot, page), await withTables(page));
write(typesFile, await publisherTypes(contracts()));
for (const [name, text] of await webFiles(contracts())) write(join(webApiFolder, name), text);

function write(file: string, text: string): void {
  writeFileSync(file, text);
  process.stdout.write(`wrote ${relative(projectRoot, file)}\n`);
}
