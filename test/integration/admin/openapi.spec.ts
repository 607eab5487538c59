// /openapi.json describes every route that the router answers, and bodies by the schemas that check them.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { routesOf } from '../../support/routes.js';
import { schedulerConfig, startScheduler, type TestScheduler } from '../../support/scheduler.js';

interface Document {
  openapi: string;
  paths: Record<string, Record<string, { requestBody?: unknown; parameters?: { name: string }[] }>>;
}

let database: TestDatabase;
let scheduler: TestScheduler;
let document: Document;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url));
  await eventually(() => scheduler.dataSource.isInitialized);
  const authorization = await scheduler.bearer(['publisher']);
  document = (await scheduler.call('GET', '/openapi.json', { authorization })).body as Document;
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

describe('/openapi.json', () => {
  it('is OpenAPI 3.1', () => {
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('describes every route but itself', () => {
    const described = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const routes = routesOf(scheduler.app.getHttpAdapter().getInstance())
      .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
      .filter((route) => route !== 'GET /openapi.json');
    expect(described.toSorted()).toEqual(routes.toSorted());
  });

  it('takes bodies and queries from the schemas that check them', () => {
    const body = JSON.stringify(document.paths['/v1/projects']?.['post']?.requestBody);
    expect(body).toContain('minReserveLeadMs');
    const query = document.paths['/v1/projects']?.['get']?.parameters?.map(({ name }) => name);
    expect(query).toEqual(['cursor', 'limit']);
  });
});
