// The bytes that subscribers are promised: outcomes.md, "What comes back".
import { expect, it } from 'vitest';
import type { OutcomeRow } from './outcome.store.js';
import { outcomeEvent } from './outcome-event.js';

const NOTHING_MEANT = {
  code: null,
  detail: null,
  problems: null,
  warnings: null,
  changes: null,
  targetCount: null,
  sentCount: null,
  send: null,
  zone: null,
  cell: null,
  chunk: null,
  retryOf: null,
  from: null,
  dueAt: null,
  requestId: null,
} as const;

const COMPLETED: OutcomeRow = {
  ...NOTHING_MEANT,
  id: 'event-1',
  kind: 'campaign.completed',
  serviceId: 'shop-app',
  campaignId: 'spring',
  campaign: 'our-1',
  sequence: 7,
  revision: 2,
  occurrence: null,
  state: 'completed',
  at: new Date('2027-03-01T00:00:05.000Z'),
  targetCount: '3000000000',
  sentCount: '0',
};

const bytesOf = (outcome: OutcomeRow): string => outcomeEvent(outcome, 'outcomes').value.toString('utf8');

it('the outcome of a send has these very bytes, whoever publishes it', () => {
  const failed: OutcomeRow = {
    ...COMPLETED,
    kind: 'send.failed',
    occurrence: 'once',
    state: 'failed',
    code: 'FAIL',
    detail: 'a\n"line" of ☃',
    targetCount: '5',
    sentCount: null,
    send: 'send-1',
    zone: 'Asia/Seoul',
    cell: 'cell',
    chunk: 0,
    from: 'accepted',
    dueAt: new Date('2027-03-01T00:00:00.000Z'),
    requestId: 'r-1',
  };
  expect(bytesOf(failed)).toBe(
    '{"specversion":"1.0","id":"event-1","source":"/carillon/shop-app","type":"carillon.outcome.send.failed.v1",' +
      '"subject":"spring","time":"2027-03-01T00:00:05.000Z","datacontenttype":"application/json",' +
      '"sequence":"000000000007","data":{"serviceId":"shop-app","campaignId":"spring","ourId":"our-1","revision":2,' +
      '"occurrence":"once","zone":"Asia/Seoul","cell":"cell","chunk":0,"sendId":"send-1","retryOf":null,' +
      String.raw`"from":"accepted","state":"failed","code":"FAIL","detail":"a\n\"line\" of ☃",` +
      '"at":"2027-03-01T00:00:05.000Z","dueAt":"2027-03-01T00:00:00.000Z","requestId":"r-1",' +
      '"counts":{"target":5,"sent":null}}}',
  );
});

it('the outcome of a campaign has these very bytes; its counts are sums beyond 32 bits', () => {
  expect(bytesOf(COMPLETED)).toBe(
    '{"specversion":"1.0","id":"event-1","source":"/carillon/shop-app",' +
      '"type":"carillon.outcome.campaign.completed.v1","subject":"spring","time":"2027-03-01T00:00:05.000Z",' +
      '"datacontenttype":"application/json","sequence":"000000000007","data":{"serviceId":"shop-app",' +
      '"campaignId":"spring","ourId":"our-1","revision":2,"occurrence":null,"state":"completed","code":null,' +
      '"detail":null,"problems":null,"warnings":null,"changes":null,"attention":null,"at":"2027-03-01T00:00:05.000Z","counts":{"target":3000000000,"sent":0}}}',
  );
});

it('goes to the topic under the key of its campaign, and names no counts where none are meant', () => {
  const running = outcomeEvent(
    { ...COMPLETED, kind: 'campaign.running', targetCount: null, sentCount: null },
    'outcomes',
  );
  expect(running).toMatchObject({
    topic: 'outcomes',
    key: 'shop-app/spring',
    headers: { 'content-type': 'application/cloudevents+json; charset=utf-8' },
  });
  expect(JSON.parse(running.value.toString('utf8'))).toMatchObject({ data: { counts: null } });
});

it('says of a planned campaign what it warns of, and of one that nobody got why', () => {
  const warnings = [{ code: 'EMPTY_TEXT', text: 'no text', pointer: '/message' }];
  const dataOf = (outcome: Partial<OutcomeRow>): unknown =>
    (JSON.parse(bytesOf({ ...COMPLETED, ...outcome })) as { data: unknown }).data;
  expect(dataOf({ kind: 'campaign.planned', state: 'planned', warnings })).toMatchObject({
    warnings,
    attention: null,
  });
  expect(dataOf({ code: 'ALL_EMPTY', detail: 'nobody' })).toMatchObject({
    code: 'ALL_EMPTY',
    attention: { code: 'ALL_EMPTY', text: 'nobody' },
  });
  expect(dataOf({ kind: 'occurrence.completed', occurrence: 'once' })).not.toHaveProperty('attention');
});
