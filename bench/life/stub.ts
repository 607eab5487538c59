// A program: the gateway of this bench. Prints its URL; GET /seen answers what it saw since the last such request.
import { serve, stubApp } from '../dispatch/stub-app.js';
import { CallsSeen } from './calls-seen.js';

const seen = new CallsSeen();
const app = stubApp(seen);
app.get('/seen', () => seen.take());
await serve(app);
