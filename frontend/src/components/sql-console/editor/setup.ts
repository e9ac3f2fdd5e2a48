// CodeMirror, put together for the console: T-SQL, completion, the keys of the field's tools.
import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, toggleComment } from '@codemirror/commands';
import { MSSQL, SQLDialect } from '@codemirror/lang-sql';
import { bracketMatching, indentOnInput, syntaxHighlighting } from '@codemirror/language';
import { type EditorState, StateEffect, StateField, type Extension } from '@codemirror/state';
import {
  Decoration,
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
  type DecorationSet,
} from '@codemirror/view';
import { classHighlighter } from '@lezer/highlight';

import { completionSource, type Completing } from './completing';

/** Words of Service Broker that the dialect of the package does not have. */
const brokerWords = [
  'acknowledgement',
  'activation',
  'broker_instance',
  'conversation',
  'contract',
  'conversation_group',
  'conversation_timer',
  'default_xml_storage',
  'dialog',
  'encryption',
  'error_broker_conversations',
  'forwarding',
  'initiator',
  'lifetime',
  'max_queue_readers',
  'message',
  'message_forward_size',
  'message_type',
  'mirror_address',
  'new_broker',
  'poison_message_handling',
  'priority_level',
  'queue',
  'receive',
  'related_conversation',
  'related_conversation_group',
  'remote',
  'retention',
  'send',
  'service',
  'service_broker',
  'target',
  'timeout',
  'validation',
  'waitfor',
  'well_formed_xml',
];

const dialect = SQLDialect.define({
  ...MSSQL.spec,
  keywords: `${MSSQL.spec.keywords ?? ''} ${brokerWords.join(' ')}`,
});

export type EditorCalls = Completing & {
  /** What is selected, else all of it, with the line it begins on, from 1. */
  run: (script: string, firstLine: number) => void;
  changed: (text: string) => void;
};

/** Lines on which the last script failed, from 1. */
export const markFailures = StateEffect.define<readonly number[]>();

const failedLine = Decoration.line({ class: 'cm-failed-line' });

const failures = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(markFailures)) {
        const { doc } = transaction.state;
        const lines = [...new Set(effect.value)].filter((line) => line >= 1 && line <= doc.lines);
        return Decoration.set(lines.sort((a, b) => a - b).map((line) => failedLine.range(doc.line(line).from)));
      }
    }
    return marks.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** The script that a run takes: the selection, or everything when nothing is selected. */
export function scriptOf(state: EditorState): { script: string; firstLine: number } {
  const { from, to, empty } = state.selection.main;
  return empty
    ? { script: state.doc.toString(), firstLine: 1 }
    : { script: state.sliceDoc(from, to), firstLine: state.doc.lineAt(from).number };
}

export function editorExtensions(label: string, calls: EditorCalls): Extension {
  const run = ({ state }: EditorView) => {
    const { script, firstLine } = scriptOf(state);
    calls.run(script, firstLine);
    return true;
  };
  return [
    lineNumbers(),
    highlightActiveLineGutter(),
    highlightActiveLine(),
    history(),
    drawSelection(),
    indentOnInput(),
    bracketMatching(),
    closeBrackets(),
    failures,
    // Without the completion of the package: it offers words that no server of ours knows.
    dialect.extension,
    autocompletion({ override: [completionSource(calls)], icons: false, maxRenderedOptions: 60 }),
    keymap.of([
      { key: 'Mod-Enter', run },
      { key: 'F5', run },
      { key: 'Mod-e', run },
      { key: 'Mod-/', run: toggleComment },
      ...closeBracketsKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...completionKeymap,
    ]),
    EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', autocorrect: 'off' }),
    EditorView.updateListener.of((update) => {
      if (update.docChanged) {
        calls.changed(update.state.doc.toString());
      }
    }),
    // Its colours stand in sql-editor.module.css, as those of everything else of the editor.
    syntaxHighlighting(classHighlighter),
  ];
}
