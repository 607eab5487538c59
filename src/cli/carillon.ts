#!/usr/bin/env node
// The carillon command, for the scheduler; its commands are in carillon-commands.ts.
import { carillon } from './carillon-commands.js';
import { run } from './shell/run-command.js';

await run(carillon());
