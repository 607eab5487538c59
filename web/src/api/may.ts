// Whether a role may call a route: the roles are written once, in the routes of the API, and come here through its OpenAPI document.
import { ROLES_OF_ROUTES } from './roles.gen.ts';
import type { Role } from './session.ts';

export type GuardedRoute = keyof typeof ROLES_OF_ROUTES;

export function mayCall(roles: readonly Role[], route: GuardedRoute): boolean {
  const allowed: readonly string[] = ROLES_OF_ROUTES[route];
  return roles.some((role) => allowed.includes(role));
}
