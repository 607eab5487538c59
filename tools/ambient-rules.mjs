// Finds what no import shows: code that reads the clock, the environment, chance or a timer by a global name, and pages of the dashboard
// that call a server by themselves. Checks only src and web/src, by syntax: a local variable with such a name counts as the global, so rename it.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const CLOCK_FILE = 'src/platform/clock.ts';
const ENVIRONMENT_FILE = 'src/platform/env.ts';

/** Pure: the same facts give the same answer, today and in a test ten years from now. */
const PURE = /^src\/(scheduler\/decide\/|push-contract\/|zone-rules\/(civil|zone-offsets|zone-rules)\.ts$)/;
const IMPURE =
  /^(Date|performance|process|console|fetch|globalThis|setTimeout|setInterval|setImmediate|queueMicrotask)$/;

/** By these a page would ask the server past web/src/api/. */
const CALLS = /^(fetch|EventSource|XMLHttpRequest|WebSocket)$/;

/**
 * @param {string} root
 * @param {readonly string[]} files relative to the root
 * @returns {{ rule: string, where: string }[]}
 */
export function ambientViolations(root, files) {
  return files
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.spec.ts'))
    .flatMap((file) => violationsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** @param {string} file @param {string} text */
function violationsOf(file, text) {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true);
  /** @type {{ rule: string, where: string }[]} */
  const found = [];
  /** @param {ts.Node} node */
  const visit = (node) => {
    const rule = ts.isIdentifier(node) ? brokenRule(node, file) : undefined;
    if (rule !== undefined) {
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source));
      found.push({ rule, where: `${file}:${line + 1} ${node.parent.getText(source).split('\n')[0]}` });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** @param {ts.Identifier} name @param {string} file @returns {string | undefined} */
function brokenRule(name, file) {
  if (!isValue(name)) return undefined;
  if (file.startsWith('web/')) {
    return CALLS.test(name.text) && !file.startsWith('web/src/api/') ? 'one-way-to-the-api' : undefined;
  }
  if (readsClock(name) && file !== CLOCK_FILE) return 'the-clock-is-injected';
  if (name.text === 'process' && memberOf(name) === 'env' && file !== ENVIRONMENT_FILE)
    return 'env-is-read-once';
  if (!PURE.test(file)) return undefined;
  if (name.text === 'Math' && memberOf(name) === 'random') return 'pure-is-pure';
  return IMPURE.test(name.text) ? 'pure-is-pure' : undefined;
}

/**
 * Date.now(), new Date(), Date(), performance.now(), and luxon's DateTime.now(), .local() and .utc() of nothing. @param
 * {ts.Identifier} name
 */
function readsClock(name) {
  const member = memberOf(name);
  const call = member === undefined ? name.parent : name.parent.parent;
  const bare = (ts.isNewExpression(call) || ts.isCallExpression(call)) && (call.arguments?.length ?? 0) === 0;
  switch (name.text) {
    case 'Date':
      return member === 'now' || (member === undefined && bare);
    case 'performance':
      return member === 'now';
    case 'DateTime':
      return member === 'now' || ((member === 'local' || member === 'utc') && bare);
    default:
      return false;
  }
}

/** @param {ts.Identifier} name */
function memberOf(name) {
  return ts.isPropertyAccessExpression(name.parent) && name.parent.expression === name
    ? name.parent.name.text
    : undefined;
}

/**
 * Whether the name stands for a value here: not for a type, a member, a key or something just declared. @param {ts.Identifier}
 * name
 */
function isValue(name) {
  const { parent } = name;
  if (ts.isPartOfTypeNode(name)) return false;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === name;
  if (ts.isImportSpecifier(parent) || ts.isExportSpecifier(parent) || ts.isQualifiedName(parent))
    return false;
  return !('name' in parent && parent.name === name && !ts.isShorthandPropertyAssignment(parent));
}
