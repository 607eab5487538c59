// Checks the rules of .dependency-cruiser.cjs and of tools/ambient-rules.mjs over src, migrations, packages, tools, test and web, and
// says how many files it has read: a check that reads none finds nothing wrong. Takes another root as argument.
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cruise } from 'dependency-cruiser';
import extractTsConfig from 'dependency-cruiser/config-utl/extract-ts-config';
import { ambientViolations } from './ambient-rules.mjs';

/** The most production files of one folder of src. */
const MOST_FILES = 25;

const project = dirname(dirname(fileURLToPath(import.meta.url)));
const root = resolve(process.argv[2] ?? project);
const { forbidden, options } = createRequire(import.meta.url)(join(project, '.dependency-cruiser.cjs'));
const folders = ['src', 'migrations', 'packages', 'tools', 'test', 'web'].filter((folder) =>
  existsSync(join(root, folder)),
);
const sources = folders.flatMap(sourcesIn);

const { output } = await cruise(
  folders,
  { ...options, ruleSet: { forbidden }, validate: true, baseDir: root },
  options.enhancedResolveOptions,
  { tsConfig: extractTsConfig(join(project, 'tsconfig.json')) },
);
const cruised = new Set(output.modules.map(({ source }) => source));
const unread = sources.filter((file) => !cruised.has(file));
const found = [
  ...output.summary.violations.map(({ rule, from, to, cycle }) => ({
    rule: rule.name,
    where: `${from} → ${cycle?.map(({ name }) => name).join(' → ') ?? to}`,
  })),
  ...ambientViolations(
    root,
    sources.filter((file) => /^(src|web\/src)\//.test(file)),
  ),
  ...crowded(sources).map((where) => ({ rule: 'a-room-has-an-end', where })),
  ...unread.map((file) => ({ rule: 'every-file-is-read', where: file })),
];
for (const { rule, where } of found) process.stderr.write(`${rule}: ${where}\n`);
process.stdout.write(`${sources.length - unread.length} modules checked, ${found.length} violations\n`);
process.exitCode = found.length === 0 && sources.length > unread.length ? 0 : 1;

/**
 * Finds folders of src with more production files than a reader can survey.
 * @param {string[]} files
 */
function crowded(files) {
  const counts = new Map();
  for (const file of files) {
    if (!file.startsWith('src/') || file.endsWith('.spec.ts')) continue;
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MOST_FILES)
    .map(([room, count]) => `${room}: ${count} files, at most ${MOST_FILES}`);
}

/** @param {string} folder @returns {string[]} */
function sourcesIn(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(tsx?|mjs)$/.test(name) && !name.endsWith('.d.mts'))
    .map((name) => `${folder}/${name.replaceAll('\\', '/')}`);
}
