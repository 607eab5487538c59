// A program: the gateway of this bench. Prints its URL.
import { serve, stubApp } from './stub-app.js';

await serve(stubApp());
