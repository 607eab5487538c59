// Gives a controller the caller of a request.
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { CalledRequest, CallerIdentity } from './caller.js';

/** Parameter decorator: the CallerIdentity of this request. Only on routes with @Roles. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): CallerIdentity => {
  const { caller } = context.switchToHttp().getRequest<CalledRequest>();
  if (caller === undefined) throw new Error('@Caller() on a route without @Roles()');
  return caller;
});
