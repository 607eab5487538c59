import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readEndpoints, removeEndpoints, writeEndpoints, type Endpoints } from './endpoints.js';

const endpoints: Endpoints = {
  schedulerUrl: 'http://127.0.0.1:8080',
  dashboardUrl: 'http://127.0.0.1:8080/',
  pushUrl: 'http://127.0.0.1:8090',
  managementUrl: 'http://127.0.0.1:8091',
  kafkaBrokers: ['127.0.0.1:9092'],
  databaseUrl: 'postgres://postgres:secret@127.0.0.1:5432/carillon',
  serviceId: 'ncp:push:kr:1:demo',
  accessKey: 'access',
  secretKey: 'secret',
  tokens: { publisher: 'p', analyst: 'a', operator: 'o', admin: 'x', management: 'm' },
};

let folder: string;
let file: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon endpoints '));
  file = join(folder, 'state', 'endpoints.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

it('gives back what was written', () => {
  writeEndpoints(endpoints, file);
  expect(readEndpoints(file)).toEqual(endpoints);
});

it('can be read by its owner alone, also when it replaces one that anybody could read', () => {
  writeEndpoints(endpoints, file);
  chmodSync(file, 0o644);
  writeEndpoints({ ...endpoints, serviceId: 'other' }, file);
  expect((statSync(file).mode & 0o777).toString(8)).toBe('600');
  expect(readEndpoints(file)?.serviceId).toBe('other');
});

it('leaves nothing beside the file', () => {
  writeEndpoints(endpoints, file);
  expect(readdirSync(join(folder, 'state'))).toEqual(['endpoints.json']);
});

it('says that nothing runs once it is removed, and removing twice is no error', () => {
  writeEndpoints(endpoints, file);
  removeEndpoints(file);
  removeEndpoints(file);
  expect(readEndpoints(file)).toBeUndefined();
});

it('refuses a file that is not of its shape', () => {
  writeEndpoints(endpoints, file);
  writeFileSync(file, '{"schedulerUrl":"http://127.0.0.1:1"}');
  expect(() => readEndpoints(file)).toThrow(/pushUrl/);
  writeFileSync(file, '{');
  expect(() => readEndpoints(file)).toThrow(`${file} is not JSON`);
});
