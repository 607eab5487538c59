#!/usr/bin/env node
// The carillon command: first start, and questions from a shell.
import { carillon } from './commands.js';
import { run } from './run-command.js';

await run(carillon());
