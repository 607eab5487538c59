// How a statement that changes a send is recognised on its way to PostgreSQL: the only place that a rewrite of the
// statements changes for the specs that lose their answers.

/** Words that the text of the statement holds, and no other. */
const WORDS = {
  'look-ahead': 'intended_ms as',
  fire: 'from fire_sends(',
  record: 'record_answers(',
  ask: 's.fired_by is not distinct from',
  'put-back': 'put_back_sends(',
  recover: 'move_sends(',
  beat: 'insert into replica (',
  polls: 'handed_off_ms as',
  poll: 'record_polls(',
  accept: 'insert into inbox_key',
  plan: 'insert into send (',
  cancel: 'insert into campaign_act',
  acts: 'lateral take_back_page(',
} as const;

export type SendStatement = keyof typeof WORDS;
export const SEND_STATEMENTS = Object.keys(WORDS) as readonly SendStatement[];

export function sendStatementOf(text: string): SendStatement | undefined {
  return SEND_STATEMENTS.find((name) => text.includes(WORDS[name]));
}
