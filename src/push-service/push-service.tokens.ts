// Injection by token for what is no class: the clock and the log. The Database is injected by its class.
import { Inject } from '@nestjs/common';
import { CLOCK, LOG } from '../platform/tokens.js';

export const InjectClock = (): ParameterDecorator & PropertyDecorator => Inject(CLOCK);
export const InjectLog = (): ParameterDecorator & PropertyDecorator => Inject(LOG);
