// A text of JSON that somebody edits, with what is wrong at its line. The editor itself is loaded when it is first needed; until then, and where
// it cannot be loaded, a plain field holds the text.
import { Component, lazy, Suspense, type ReactNode } from 'react';
import type { JsonEditorProps } from './editor-props.ts';
import styles from './json-editor.module.css';

const CodeEditor = lazy(async () => ({ default: (await import('./code-editor.tsx')).CodeEditor }));

export function JsonEditor(props: JsonEditorProps) {
  const plain = <PlainField {...props} />;
  return (
    <WithoutEditor plain={plain}>
      <Suspense fallback={plain}>
        <CodeEditor {...props} />
      </Suspense>
    </WithoutEditor>
  );
}

function PlainField({ label, value, onChange, readOnly }: JsonEditorProps) {
  return (
    <textarea
      className={styles.plain}
      aria-label={label}
      value={value}
      readOnly={readOnly}
      spellCheck={false}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

interface BoundaryProps {
  readonly plain: ReactNode;
  readonly children: ReactNode;
}

class WithoutEditor extends Component<BoundaryProps, { readonly failed: boolean }> {
  override state = { failed: false };

  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true };
  }

  override render(): ReactNode {
    return this.state.failed ? this.props.plain : this.props.children;
  }
}
