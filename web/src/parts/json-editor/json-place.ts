// Where a JSON pointer stands in a text that a person types: the text may be unfinished, and has comments nowhere. Pure.
import { findNodeAtLocation, parseTree, type Node } from 'jsonc-parser';

export interface TextPlace {
  readonly from: number;
  readonly to: number;
}

/** RFC 6901 §4. */
export const pointerPath = (pointer: string): readonly string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));

/** The place of the value, else of the nearest member above it: a missing member is told at its holder. */
export function placeOf(text: string, pointer: string): TextPlace {
  const tree = parseTree(text);
  if (tree === undefined) return { from: 0, to: Math.min(1, text.length) };
  for (let path = pointerPath(pointer); path.length > 0; path = path.slice(0, -1)) {
    const node = nodeAt(tree, path);
    // A whole object would mark many lines: its name, or its first brace, says enough.
    if (node !== undefined) return headOf(node);
  }
  return headOf(tree);
}

/** From 1 on. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;

function nodeAt(tree: Node, path: readonly string[]): Node | undefined {
  let node: Node | undefined = tree;
  for (const token of path) {
    if (node === undefined) return undefined;
    node = findNodeAtLocation(node, [node.type === 'array' ? Number(token) : token]);
  }
  return node;
}

function headOf(node: Node): TextPlace {
  if (node.type !== 'object' && node.type !== 'array') {
    return { from: node.offset, to: node.offset + node.length };
  }
  const name = node.parent?.type === 'property' ? node.parent.children?.[0] : undefined;
  const head = name ?? { offset: node.offset, length: 1 };
  return { from: head.offset, to: head.offset + head.length };
}
