// A program: the gateway of this bench. Prints its URL; GET /seen tells what it saw since it was last asked.
import { serve, stubApp } from '../dispatch/stub-app.js';
import { CallsSeen } from './calls-seen.js';

const seen = new CallsSeen();
const app = stubApp(seen);
app.get('/seen', () => seen.take());
await serve(app);
