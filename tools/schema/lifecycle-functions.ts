// The functions by which the database asks about states, one for each list of states that functions of sql/ need. They are made
// of the tables in src/scheduler/decide/lifecycle/ and stand in files like all others; PostgreSQL inlines them.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { functionsOf } from '../../migrations/install-functions.js';
import { sqlList } from '../../src/platform/database/sql-list.js';
import {
  ENDED_WITH_OCCURRENCES,
  OPEN_OCCURRENCE,
  PLANNABLE_CAMPAIGN,
} from '../../src/scheduler/decide/lifecycle/campaign-state.js';
import {
  AWAITED_STATES,
  BEGUN_STATES,
  BIRTH_STATES,
  ENDED_STATES,
  PUBLISHED_STATES,
  REPLACEABLE_STATES,
  REPLACED_STATES,
  RETRYABLE_STATES,
  SEND_GOALS,
  statesTakenBack,
  UNSENT_STATES,
  VOLATILE_STATES,
} from '../../src/scheduler/decide/lifecycle/send-state.js';

/** Name, what it says, the states of which it is true. */
const LISTS: readonly (readonly [name: string, says: string, states: readonly string[]])[] = [
  [
    'send_state_is_retryable',
    'Whether an operator may retry a send that ended in this state.',
    RETRYABLE_STATES,
  ],
  ['send_state_is_born', 'Whether a send may be inserted in this state.', BIRTH_STATES],
  ['send_state_is_published', 'Whether it is published as an outcome.', PUBLISHED_STATES],
  ['send_state_is_begun', 'Whether the send was handed off.', BEGUN_STATES],
  [
    'send_state_is_awaited',
    'Whether the answer to a call may still decide what becomes of the send.',
    AWAITED_STATES,
  ],
  ['send_state_is_ended', 'Whether nothing follows but a retry.', ENDED_STATES],
  ['send_state_is_unsent', 'Whether the send ended before anything was handed off.', UNSENT_STATES],
  [
    'send_state_is_volatile',
    'Whether the due and the requestId may change after it was published, so that its event keeps them.',
    VOLATILE_STATES,
  ],
  [
    'send_state_goes_back',
    'Whether an act on the campaign takes the send back at once.',
    statesTakenBack('at-once'),
  ],
  [
    'send_state_is_asked_back',
    'Whether an act on the campaign has to ask the push service for the send.',
    statesTakenBack('asks'),
  ],
  [
    'send_state_waits',
    'Whether an act on the campaign has to wait for an answer that is under way.',
    statesTakenBack('waits'),
  ],
  [
    'send_state_is_replaceable',
    'Whether a revision may still replace the send, at once or once the answer to a call is known.',
    REPLACEABLE_STATES,
  ],
  ['send_state_is_replaced', 'Whether a revision took the send back.', REPLACED_STATES],
  ['campaign_state_is_plannable', 'Whether a plan may be due.', PLANNABLE_CAMPAIGN],
  [
    'campaign_ends_with_sums',
    'Whether the event of a campaign that moves to this state includes the sums of its occurrences, which may be written after\n-- the move. Such an event is written at the commit, by campaign_write_end.',
    ENDED_WITH_OCCURRENCES,
  ],
  ['occurrence_state_is_open', 'Whether sends of the occurrence may still be open.', OPEN_OCCURRENCE],
];

/** The order in which a goal rises. */
const GOAL_RANK = `-- How far a goal has risen; 0: the send has none.
-- Written by \`npm run schema\`, of src/scheduler/decide/lifecycle/.
create or replace function goal_rank(goal text) returns integer language sql immutable as $$
  select coalesce(array_position(array[${SEND_GOALS.map((goal) => `'${goal}'`).join(', ')}], goal), 0)
$$;
`;

/** By name, what the file of each holds. */
export const LIFECYCLE_FUNCTIONS: ReadonlyMap<string, string> = new Map([
  ...LISTS.map(
    ([name, says, states]) =>
      [
        name,
        `-- ${says}
-- Written by \`npm run schema\`, of src/scheduler/decide/lifecycle/.
create or replace function ${name}(state text) returns boolean language sql immutable as $$
  select state in ${sqlList(states)}
$$;
`,
      ] as const,
  ),
  ['goal_rank', GOAL_RANK] as const,
]);

export function writeLifecycleFunctions(): void {
  for (const [name, text] of LIFECYCLE_FUNCTIONS)
    writeFileSync(join(functionsOf('scheduler'), `${name}.sql`), text);
}
