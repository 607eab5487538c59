// What an editor of JSON is given, whether it is the field or the one that is loaded later.

export interface EditorProblem {
  /** RFC 6901, in the text. */
  readonly pointer: string;
  readonly text: string;
  readonly severity: 'error' | 'warning';
}

export interface JsonEditorProps {
  readonly label: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly problems: readonly EditorProblem[];
  /** Mod-Enter. */
  readonly onCommit?: () => void;
  readonly readOnly?: boolean;
}
