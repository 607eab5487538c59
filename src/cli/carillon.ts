#!/usr/bin/env node
// The carillon command, for the scheduler; its commands are in commands.ts.
import { carillon } from './commands.js';
import { run } from './shell/run-command.js';

await run(carillon());
