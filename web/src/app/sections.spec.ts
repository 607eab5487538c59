// Who finds which page in the side bar, and which part of the audiences: by the roles that the API writes at its routes.
import { describe, expect, it } from 'vitest';
import { mayCall, type GuardedRoute } from '../api/may.js';
import type { Role } from '../api/session.js';
import { AUDIENCE_VIEWS } from '../pages/audiences/audience-views.js';
import { SECTIONS, wayTo } from './sections.js';

const READS = ['/', '/campaigns', '/sends', '/failures'];
const FIGURES = ['/alerts', '/reports', '/forecast'];
const OWNS = ['/projects', '/tokens', '/webhooks', '/audit'];

const as = (role: Role) => (route: GuardedRoute) => mayCall([role], route);

describe('the side bar', () => {
  it.each<[Role, readonly string[]]>([
    ['publisher', ['/', '/campaigns', '/sends', '/rejected', '/audiences']],
    ['analyst', [...READS, ...FIGURES, '/audiences/drift']],
    ['operator', [...READS, '/rejected', ...FIGURES, '/audiences/drift', '/projects']],
    ['admin', [...READS, '/rejected', ...FIGURES, '/audiences', ...OWNS]],
  ])('of a %s leads to what may be opened', (role, ways) => {
    const found = SECTIONS.map((section) => wayTo(section, as(role)));
    expect(found.filter((way) => way !== undefined)).toEqual(ways);
  });
});

describe('the audiences', () => {
  it.each<[Role, readonly string[]]>([
    ['publisher', ['/audiences', '/audiences/zones']],
    ['analyst', ['/audiences/drift']],
    ['operator', ['/audiences/drift']],
    ['admin', ['/audiences', '/audiences/zones', '/audiences/drift', '/audiences/erasures']],
  ])('of a %s have the parts that may be opened', (role, views) => {
    expect(AUDIENCE_VIEWS.filter(({ needs }) => as(role)(needs)).map(({ to }) => to)).toEqual(views);
  });
});
