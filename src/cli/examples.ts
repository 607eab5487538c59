// Two calls of every command, as people type them, which end its --help. The help of a group has those of its first two commands.
import type { Command } from 'commander';

type Two = readonly [string, string];

const SEND = '019d3c00-0000-7000-8000-00000000000a';
const SET = '5d0f1c9e-6a55-4c59-9d0f-3f6f1c9e6a55';

/** By the whole name of a command, without `carillon`. */
export const EXAMPLES: Readonly<Record<string, Two>> = {
  status: ['status', 'status --watch 10'],
  'alerts list': ['alerts', 'alerts --ended --service shop-app --csv'],
  'alerts acknowledge': [`alerts acknowledge ${SET}`, 'alerts acknowledge $(carillon alerts -q --limit 1)'],
  'campaigns list': ['campaigns --attention', 'campaigns --service shop-app --state running -q'],
  'campaigns show': ['campaigns show shop-app/spring-sale', 'campaigns show shop-app/spring-sale --json'],
  'campaigns plan': [
    'campaigns plan shop-app/spring-sale',
    'campaigns plan shop-app/spring-sale --zone Asia/Seoul --csv',
  ],
  'campaigns report': [
    'campaigns report shop-app/spring-sale',
    'campaigns report shop-app/spring-sale --csv > report.csv',
  ],
  'campaigns pause': [
    'campaigns pause shop-app/spring-sale --preview',
    "campaigns pause shop-app/spring-sale --reason 'wrong link'",
  ],
  'campaigns resume': [
    'campaigns resume shop-app/spring-sale --preview',
    'campaigns resume shop-app/daily --occurrence 2027-03-01T09:00',
  ],
  'campaigns cancel': [
    'campaigns cancel shop-app/spring-sale --preview',
    "campaigns cancel shop-app/spring-sale --reason 'sold out'",
  ],
  'campaigns approve': [
    'campaigns approve shop-app/spring-sale --revision 1 --hash 9f2c --preview',
    'campaigns approve shop-app/spring-sale --revision 1 --hash 9f2c',
  ],
  'campaigns decline': [
    "campaigns decline shop-app/spring-sale --reason 'the price is wrong' --preview",
    "campaigns decline shop-app/spring-sale --reason 'the price is wrong'",
  ],
  'sends list': [
    'sends --campaign shop-app/spring-sale --state failed,rejected',
    'sends --request-id 8f2c --json',
  ],
  'sends show': [`sends show ${SEND}`, `sends show ${SEND} --json`],
  'sends retry': [`sends retry ${SEND}`, `sends retry ${SEND} --accept-duplicates`],
  'sends resolve': [
    `sends resolve ${SEND} --not-sent --reason 'not in the list of the push service'`,
    `sends resolve ${SEND} --sent --request-id 8f2c`,
  ],
  failures: ['failures --group-by code,zone', 'failures --service shop-app --since 2027-03-01T00:00:00Z'],
  uncertain: ['uncertain', 'uncertain --service shop-app -q'],
  'retries create': [
    'retries create --service shop-app --code REQUEST_FAILED --preview',
    'retries create --campaign shop-app/spring-sale --zone Asia/Seoul --yes --wait',
  ],
  'retries list': ['retries', 'retries --service shop-app -q --limit 1'],
  'retries show': [`retries show ${SET}`, `retries show ${SET} --json`],
  'resolves create': [
    'resolves create --service shop-app --not-sent --preview',
    "resolves create --request-id 8f2c --sent --reason 'seen at the push service'",
  ],
  'resolves list': ['resolves', 'resolves --service shop-app --json'],
  'resolves show': [`resolves show ${SET}`, `resolves show ${SET} --json`],
  'rejections list': ['rejections --state open', 'rejections --service shop-app --via kafka -q'],
  'rejections show': [`rejections show ${SEND}`, `rejections show ${SEND} --json`],
  'rejections replay': [`rejections replay ${SEND}`, `rejections replay ${SEND} --event mended.json`],
  'rejections discard': [
    `rejections discard ${SEND}`,
    `rejections discard ${SEND} --reason 'sent by a test'`,
  ],
  'projects list': ['projects', 'projects -q'],
  'projects show': ['projects show shop-app', 'projects show shop-app --json'],
  'projects check': ['projects check shop-app', 'projects check shop-app --json'],
  'projects add': [
    'projects add shop-app --base-url https://push.example.com --access-key AK1 < secret',
    "projects add shop-app --base-url https://push.example.com --access-key AK1 --source '/shop/*' --set maxTo=500 < secret",
  ],
  'projects set': ['projects set shop-app ratePerSecond=20', 'projects set shop-app approval=required'],
  'projects stop': [
    'projects stop shop-app --preview',
    "projects stop shop-app --recall --reason 'wrong prices'",
  ],
  'projects start': ['projects start shop-app --preview', 'projects start shop-app'],
  'projects keys add': [
    'projects keys add shop-app --access-key AK2 < secret',
    'projects keys add shop-app --access-key AK2 --json < secret',
  ],
  'projects keys remove': ['projects keys remove shop-app AK1', 'projects keys remove shop-app AK1 --json'],
  stop: ['stop --preview', "stop --reason 'the provider is down'"],
  start: ['start --preview', 'start'],
  publish: [
    'publish campaign.json --follow',
    'publish events.ndjson --kafka broker:9092 --follow --wait 120',
  ],
  plan: ['plan campaign.json --now 2027-03-01T00:00:00Z', 'plan campaign.json --online'],
  forecast: [
    'forecast --by campaign',
    'forecast --service shop-app --from 2027-03-01T00:00:00Z --step minute',
  ],
  'audiences list': ['audiences list --service shop-app', 'audiences list --service shop-app --csv'],
  'audiences put': [
    'audiences put vip-2027 vip.csv.gz --service shop-app',
    'audiences put vip-2027 - --service shop-app --format ndjson < users',
  ],
  'audiences show': [
    'audiences show vip-2027 --service shop-app',
    'audiences show vip-2027 --service shop-app --json',
  ],
  'audiences delete': [
    'audiences delete vip-2027 --service shop-app',
    'audiences delete vip-2027 --service shop-app --json',
  ],
  'recipients erase': [
    'recipients erase user-1 --service shop-app',
    'recipients erase user-1 --service shop-app --wait --json > certificate.json',
  ],
  'zones list': ['zones --like argentina', 'zones --csv'],
  'zones put': ['zones put zones.csv --service shop-app', 'zones put zones.ndjson.gz --service shop-app'],
  'zones drift': ['zones drift --service shop-app', 'zones drift --service shop-app --csv'],
  'tz show': ['tz show', 'tz show --compare /usr/share/zoneinfo'],
  'tz use': ['tz use 2027b --from /opt/tzdata-2027b --preview', 'tz use --bundled'],
  'tokens list': ['tokens', 'tokens --csv'],
  'tokens create': [
    "tokens create --first --name ops --role admin --service '*'",
    "tokens create --name shop --role publisher --service shop-app --source '/shop/*'",
  ],
  'tokens revoke': [`tokens revoke ${SET}`, `tokens revoke ${SET} --json`],
  audit: ['audit --action project.stop', 'audit --service shop-app --limit 100000 --csv > audit.csv'],
  login: [
    'login --url https://carillon.example.com',
    'login --url http://127.0.0.1:8080 --profile local < token',
  ],
  'profiles list': ['profiles', 'profiles --json'],
  'profiles use': ['profiles use local', 'profiles use default --json'],
  'profiles remove': ['profiles remove local', 'profiles remove local --json'],
  ledger: ['ledger --service shop-app', 'ledger --watch 10'],
  doctor: ['doctor', 'doctor --json'],
  retention: ['retention', 'retention --dry-run'],
  migrate: ['migrate', 'migrate --json'],
  openapi: ['openapi > openapi.json', 'openapi | jq .info'],
  complete: ['complete bash > ~/.carillon-completion', 'complete zsh > ~/.carillon-completion'],
};

/** Adds them to all commands below this one. */
export function addExamples(command: Command, above: readonly string[] = []): void {
  for (const one of command.commands) {
    const name = [...above, one.name()];
    const calls =
      one.commands.length === 0
        ? (EXAMPLES[name.join(' ')] ?? [])
        : one.commands.slice(0, 2).flatMap((below) => EXAMPLES[[...name, below.name()].join(' ')]?.[0] ?? []);
    if (calls.length > 0)
      one.addHelpText('after', `\nExamples:\n${calls.map((call) => `  $ carillon ${call}`).join('\n')}`);
    addExamples(one, name);
  }
}
