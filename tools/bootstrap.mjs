// Starts from a fresh clone: installs what is missing, compiles what has changed, then runs one target in this process, so that
// it need not pass on signals and the exit code. Plain JavaScript, because it runs before npm ci.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { withLock } from './bootstrap/lock.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const buildStamp = join(root, 'dist', '.carillon-build');
const webStamp = join(root, 'dist', '.carillon-web');

/** What each target runs once everything is installed and compiled. build runs nothing, and ready changes nothing. */
const targets = {
  build: { compile: true },
  ready: {},
  demo: { compile: true, run: 'dist/tools/demo/main.js' },
  check: { compile: false, run: 'test/support/runner/run.mjs', env: { CARILLON_CHECK: '1' } },
  test: { compile: false, run: 'test/support/runner/run.mjs' },
  'test:long': { compile: false, run: 'test/support/runner/run.mjs', env: { CARILLON_TEST_LONG: '1' } },
};

await main(process.argv[2] ?? '', process.argv.slice(3));

/** @param {string} name @param {string[]} args */
async function main(name, args) {
  const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
  if (target === undefined) fail(`what to do? one of: ${Object.keys(targets).join(', ')}`);
  refuseOldNode();
  process.chdir(root);
  if (name === 'ready') return refuseUnready();
  await withLock(join(root, '.carillon', 'bootstrap.lock'), say, async () => {
    install();
    if (target.compile) compile();
    if (target.compile) buildDashboard();
  });
  if (target.run === undefined) return;
  const file = join(root, target.run);
  if (!existsSync(file)) fail(`${target.run} is not there`);
  Object.assign(process.env, target.env);
  process.argv = [process.execPath, file, ...args];
  process.setSourceMapsEnabled(true);
  await import(pathToFileURL(file).href);
}

function refuseOldNode() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const [major = 0, minor = 0] = numbersOf(engines.node);
  const [ourMajor = 0, ourMinor = 0] = numbersOf(process.versions.node);
  if (ourMajor > major || (ourMajor === major && ourMinor >= minor)) return;
  fail(
    `Carillon needs Node.js ${major}.${minor} or newer, and this is ${process.versions.node}; install a newer one`,
  );
}

/** Before a production start, which neither installs nor compiles: what it runs is what somebody built and looked at. */
function refuseUnready() {
  if (!isInstalled(({ dev, devOptional }) => !dev && !devOptional))
    fail(
      'the packages of package-lock.json are not installed: run "npm ci" (or "npm ci --omit=dev" beside a dist/)',
    );
  if (!existsSync(join(root, 'dist', 'src'))) fail('nothing is compiled: run "npm run build"');
  const { sum, sources } = compiledFrom();
  // Without sources, dist/ cannot be out of date.
  if (sources.some((file) => file.startsWith('src')) && sum !== stampOf().sum)
    fail('dist/ is older than the sources: run "npm run build"');
}

/** @param {string} version */
function numbersOf(version) {
  return (version.match(/\d+/g) ?? []).map(Number);
}

function install() {
  if (isInstalled()) return;
  say('installing the packages of package-lock.json (npm ci) …');
  // The npm that started us, if one did: the one on the PATH may be another.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
  if (npm !== undefined) run(process.execPath, [npm, ...args]);
  else run(process.platform === 'win32' ? 'npm.cmd' : 'npm', args, { shell: process.platform === 'win32' });
}

/** Whether npm's own record of what is installed has every version of the lock; optional ones may be for others. */
function isInstalled(isWanted = () => true) {
  const record = join(root, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const { packages: installed } = JSON.parse(readFileSync(record, 'utf8'));
  const { packages: wanted } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(wanted).every(
    ([path, entry]) =>
      path === '' || installed[path]?.version === entry.version || entry.optional || !isWanted(entry),
  );
}

/** What to compile, and a checksum of everything that it depends on. */
function compiledFrom() {
  const folders = ['src', 'migrations', 'tools', 'bench', 'test/compiled'];
  const sources = folders.flatMap((folder) => sourcesIn(folder)).sort();
  const files = ['tsconfig.json', 'tsconfig.build.json', 'package-lock.json', ...sources];
  const sum = hashOf(
    files.filter((file) => existsSync(join(root, file))),
    sources.join('\n'),
  );
  return { sources, sum };
}

/** What dist/ was compiled from. */
function stampOf() {
  return existsSync(buildStamp) ? JSON.parse(readFileSync(buildStamp, 'utf8')) : { sum: '', sources: [] };
}

function compile() {
  const { sources, sum } = compiledFrom();
  const built = stampOf();
  if (built.sum === sum) return;
  say('compiling …');
  rmSync(buildStamp, { force: true });
  // Without the record tsc compiles everything. With the record but without its output it would compile nothing.
  if (!existsSync(join(root, 'dist', 'src'))) rmSync(join(root, 'dist', '.tsbuildinfo'), { force: true });
  run(process.execPath, [
    join(root, 'node_modules', 'typescript', 'bin', 'tsc'),
    '-p',
    'tsconfig.build.json',
  ]);
  for (const gone of built.sources.filter((source) => !sources.includes(source))) {
    for (const suffix of ['.js', '.js.map'])
      rmSync(join(root, 'dist', gone.replace(/\.ts$/, suffix)), { force: true });
  }
  mkdirSync(dirname(buildStamp), { recursive: true });
  writeFileSync(buildStamp, JSON.stringify({ sum, sources }));
}

/** dist/web of web/, where there is one. Its own stamp: most changes leave it as it is. */
function buildDashboard() {
  if (!existsSync(join(root, 'web'))) return;
  const sources = readdirSync(join(root, 'web'), { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.includes('.spec.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const files = ['package-lock.json', ...sources.map((file) => relative(root, file))];
  const sum = hashOf(files, files.join('\n'));
  if (existsSync(webStamp) && readFileSync(webStamp, 'utf8') === sum) return;
  say('building the dashboard …');
  rmSync(webStamp, { force: true });
  run(process.execPath, [
    join(root, 'node_modules', 'vite', 'bin', 'vite.js'),
    'build',
    'web',
    '--logLevel',
    'warn',
  ]);
  writeFileSync(webStamp, sum);
}

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('node_modules') && !name.endsWith('.spec.ts'))
    .map((name) => join(folder, name));
}

/** @param {string[]} files @param {string} salt */
function hashOf(files, salt) {
  const hash = createHash('sha256').update(salt);
  for (const file of files) hash.update(readFileSync(join(root, file))).update('\0');
  return hash.digest('hex');
}

/** @param {string} command @param {string[]} args @param {import('node:child_process').SpawnSyncOptions} [options] */
function run(command, args, options = {}) {
  // Its output goes to stderr, because stdout belongs to the target.
  const done = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2], ...options });
  if (done.error !== undefined) fail(`cannot run ${command}: ${done.error.message}`);
  if (done.signal !== null) process.exit(130);
  if (done.status !== 0) fail(`${[command, ...args].join(' ')} failed with exit code ${done.status}`);
}

/** @param {string} sentence */
function say(sentence) {
  process.stderr.write(`carillon: ${sentence}\n`);
}

/** @param {string} sentence @returns {never} */
function fail(sentence) {
  say(sentence);
  process.exit(1);
}
