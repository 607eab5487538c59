// docs/understand/life-of-a-send.md against the code's table and the database's: a state or an arrow in one is in all three.
import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  allArrows,
  ENDED_STATES,
  nextState,
  OBSERVATIONS,
  SEND_GOALS,
  SEND_STATES,
} from '../../src/scheduler/decide/lifecycle/send-state.js';
import { campaignArrows as arrowsInCode } from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import { cloneDatabase, type TestDatabase } from '../support/postgres/database.js';

const page = readFileSync(new URL('../../docs/understand/life-of-a-send.md', import.meta.url), 'utf8');

/** Rows of the first table below a heading, cells without their back-ticks. */
function tableBelow(heading: string): string[][] {
  const section = page.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
}

const sendArrows = tableBelow('Send: arrows').map(
  ([from, observation, to]) => `${from} ${observation} ${to}`,
);
const campaignArrows = tableBelow('Campaign: arrows').map(([from, to]) => `${from} ${to}`);

let database: TestDatabase;
let client: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  client = new Client({ connectionString: database.url });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function arrowsOf(table: string): Promise<string[]> {
  const { rows } = await client.query<{ arrow: string }>(
    `select from_state || ' ' || to_state as arrow from scheduler.${table}`,
  );
  return rows.map(({ arrow }) => arrow).toSorted();
}

describe('docs/understand/life-of-a-send.md', () => {
  it('names every state of a send, and marks the ended ones', () => {
    const states = tableBelow('Send: states');
    expect(states.map(([state]) => state)).toEqual([...SEND_STATES]);
    expect(states.filter(([, , ended]) => ended === 'yes').map(([state]) => state)).toEqual([
      ...ENDED_STATES,
    ]);
  });

  it('lists exactly the arrows of the code', () => {
    const inCode = SEND_STATES.flatMap((from) =>
      OBSERVATIONS.flatMap((observation) => {
        const plain = nextState(from, observation);
        if (plain !== undefined) return [`${from} ${observation} ${plain}`];
        const toGoal = SEND_GOALS.some((goal) => nextState(from, observation, goal) === goal);
        return toGoal ? [`${from} ${observation} goal`] : [];
      }),
    );
    expect(sendArrows.toSorted()).toEqual(inCode.toSorted());
    expect(sendArrows.length).toBeGreaterThan(40);
  });

  it('draws no arrow that the table does not have', () => {
    const allowed = new Set(allArrows().map(([from, to]) => `${from} ${to}`));
    const drawn = [...page.matchAll(/^ {2}(\w+) --> (\w+)/gm)].map(([, from, to]) => `${from} ${to}`);
    expect(drawn.length).toBeGreaterThan(15);
    expect(drawn.filter((arrow) => !allowed.has(arrow))).toEqual([]);
  });

  it("lists exactly the arrows of the database's send_transition", async () => {
    expect(await arrowsOf('send_transition')).toEqual(
      allArrows()
        .map(([from, to]) => `${from} ${to}`)
        .toSorted(),
    );
  });

  it("lists exactly the arrows of the database's campaign_transition", async () => {
    expect(campaignArrows.toSorted()).toEqual(await arrowsOf('campaign_transition'));
    expect(campaignArrows.toSorted()).toEqual(
      arrowsInCode()
        .map(([from, to]) => `${from} ${to}`)
        .toSorted(),
    );
  });
});
