// The two marks a route may carry. A route without either is refused to everybody (auth.guard.ts).
import { SetMetadata, type CustomDecorator } from '@nestjs/common';
import type { Role } from './caller.js';

export const ROLES_KEY = 'carillon:roles';
export const OPEN_KEY = 'carillon:open';

/** Tokens with any of these roles, or a role that includes one, may call it. On a class or a method. */
export const Roles = (...roles: Role[]): CustomDecorator => SetMetadata(ROLES_KEY, roles);

/** Needs no token: health only. */
export const Open = (): CustomDecorator => SetMetadata(OPEN_KEY, true);
