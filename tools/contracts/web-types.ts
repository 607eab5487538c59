// What the dashboard knows of the API, made from our OpenAPI document: the types of its calls, so that a member that a route does not answer
// is a fault of the dashboard's types; and who may call each route, so that a page shows only what its reader may do.
import { format } from 'prettier';
import openapiTS, { astToString } from 'openapi-typescript';
import type { PublishedContracts } from '../../src/scheduler/documents/published.js';

const HEAD = '// Written by `npm run schemas` from the routes of the API; not to be edited.\n';

/** File of web/src/api → its text. */
export async function webFiles(contracts: PublishedContracts): Promise<ReadonlyMap<string, string>> {
  const document = contracts.read('openapi.json') as unknown as Document;
  const nodes = await openapiTS(JSON.stringify(document), { alphabetize: true });
  const roles = JSON.stringify(rolesOfRoutes(document));
  return new Map([
    ['schema.gen.ts', `${HEAD}${astToString(nodes)}`],
    [
      'roles.gen.ts',
      await format(`${HEAD}export const ROLES_OF_ROUTES = ${roles} as const;\n`, {
        parser: 'typescript',
        printWidth: 110,
        singleQuote: true,
      }),
    ],
  ]);
}

interface Document {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly 'x-roles': readonly string[] }>>>
  >;
}

/** `post /v1/retries` → the roles that may. */
function rolesOfRoutes({ paths }: Document): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    Object.entries(paths).flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [`${method} ${path}`, operation['x-roles']]),
    ),
  );
}
