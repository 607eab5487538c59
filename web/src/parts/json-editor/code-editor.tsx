// CodeMirror for JSON: brackets, folding, history, and the problems at their places. Tab leaves it, as in any field.
import { history, historyKeymap, standardKeymap } from '@codemirror/commands';
import { json } from '@codemirror/lang-json';
import { foldGutter, HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { EditorState, StateEffect, StateField } from '@codemirror/state';
import { Decoration, EditorView, keymap, lineNumbers, type DecorationSet } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import { getNonce } from 'get-nonce';
import { useEffect, useRef } from 'react';
import type { EditorProblem, JsonEditorProps } from './editor-props.ts';
import { placeOf } from './json-place.ts';
import styles from './json-editor.module.css';

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--accent)' },
  { tag: tags.string, color: 'var(--state-sent)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--state-kept)' },
]);

const looks = EditorView.theme({
  '&': { backgroundColor: 'var(--panel)', color: 'var(--text)', fontSize: '13px' },
  '.cm-content': { fontFamily: 'var(--font-mono)', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--panel)', color: 'var(--quiet)', border: 'none' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '1px' },
});

const setMarks = StateEffect.define<DecorationSet>();
/** The places of the problems: they move with the text until they are told anew. */
const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (shown, { changes, effects }) =>
    effects.findLast((effect) => effect.is(setMarks))?.value ?? shown.map(changes),
  provide: (field) => EditorView.decorations.from(field),
});

export function CodeEditor({ label, value, onChange, problems, onCommit, readOnly }: JsonEditorProps) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(undefined);
  const handlers = useRef({ onChange, onCommit });
  handlers.current = { onChange, onCommit };
  const first = useRef({ value, label, readOnly });

  useEffect(() => {
    if (place.current === null) return undefined;
    const { value: doc, label: name, readOnly: isFixed = false } = first.current;
    const commit = (): boolean => {
      handlers.current.onCommit?.();
      return true;
    };
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc,
        extensions: [
          EditorView.cspNonce.of(getNonce() ?? ''),
          EditorView.contentAttributes.of({ 'aria-label': name, spellcheck: 'false' }),
          EditorState.readOnly.of(isFixed),
          lineNumbers(),
          foldGutter(),
          history(),
          marks,
          json(),
          syntaxHighlighting(colours),
          looks,
          EditorView.lineWrapping,
          keymap.of([{ key: 'Mod-Enter', run: commit }, ...standardKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) handlers.current.onChange(update.state.doc.toString());
          }),
        ],
      }),
    });
    view.current = made;
    return () => made.destroy();
  }, []);

  useEffect(() => {
    const shown = view.current;
    if (shown === undefined || shown.state.doc.toString() === value) return;
    shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: value } });
  }, [value]);

  useEffect(() => {
    const shown = view.current;
    if (shown === undefined) return;
    shown.dispatch({ effects: setMarks.of(marksIn(value, problems)) });
  }, [value, problems]);

  return <div ref={place} className={styles.code} />;
}

/** An empty place has nothing to underline. */
function marksIn(value: string, problems: readonly EditorProblem[]): DecorationSet {
  const found = problems.flatMap(({ pointer, text, severity }) => {
    const { from, to } = placeOf(value, pointer);
    if (to <= from) return [];
    return [Decoration.mark({ class: styles[severity] ?? '', attributes: { title: text } }).range(from, to)];
  });
  return Decoration.set(found, true);
}
