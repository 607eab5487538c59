// Injection by token for what is no class: the clock and the log. The Database is injected by its class.
import { Inject } from '@nestjs/common';
import { CLOCK, LOG } from '../platform/tokens.js';

export const InjectClock = (): ParameterDecorator & PropertyDecorator => Inject(CLOCK);
/** Real milliseconds that POST messages may take: PUSH_ACCEPT_TIMEOUT_MS. */
export const ACCEPT_TIMEOUT_MS = Symbol('ACCEPT_TIMEOUT_MS');
export const InjectLog = (): ParameterDecorator & PropertyDecorator => Inject(LOG);
