// A program: starts PostgreSQL in the folder it is given, says how to reach it, and stays until it is ended. SIGTERM
// stops both in good order; SIGKILL leaves PostgreSQL over, which is what the specs that use it want.
import { startPostgres } from '../../../tools/postgres.js';

const postgres = await startPostgres({ stateDir: process.argv[2] ?? '', durable: false });
process.once('SIGTERM', () => void postgres.stop());
process.stdout.write(
  `${JSON.stringify({ pid: postgres.pid, url: postgres.url, dataDir: postgres.dataDir })}\n`,
);
