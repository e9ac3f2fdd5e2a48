import { EditorState } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { useEffect, useImperativeHandle, useRef, type Ref } from 'react';

import classes from './sql-editor.module.css';
import { editorExtensions, markFailures, scriptOf, type EditorCalls } from './setup';

export type EditorHandle = {
  focus: () => void;
  /** Shows a line, from 1, and puts the cursor there. */
  goTo: (line: number) => void;
  /** In the place of what is selected. */
  insert: (text: string) => void;
  /** In the place of everything. */
  replace: (text: string) => void;
  script: () => { script: string; firstLine: number };
};

type Props = {
  label: string;
  initialText: string;
  /** Lines on which the last script failed. */
  failedLines: readonly number[];
  calls: EditorCalls;
  ref: Ref<EditorHandle>;
};

/** The text that is run: CodeMirror, which keeps it; the page hears of changes and asks for it when it runs. */
export default function SqlEditor({ label, initialText, failedLines, calls, ref }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const current = useRef(calls);
  useEffect(() => {
    current.current = calls;
  });
  const begun = useRef(initialText);

  useEffect(() => {
    if (place.current === null) {
      return;
    }
    const made = new EditorView({
      parent: place.current,
      state: EditorState.create({
        doc: begun.current,
        extensions: editorExtensions(label, {
          run: (script, firstLine) => {
            current.current.run(script, firstLine);
          },
          changed: (text) => {
            begun.current = text;
            current.current.changed(text);
          },
          names: () => current.current.names(),
          ask: async (script, position) => current.current.ask(script, position),
        }),
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label]);

  useEffect(() => {
    view.current?.dispatch({ effects: markFailures.of(failedLines) });
  }, [failedLines]);

  useImperativeHandle(
    ref,
    (): EditorHandle => ({
      focus: () => {
        view.current?.focus();
      },
      goTo: (line) => {
        if (view.current !== null) {
          const { doc } = view.current.state;
          const { from } = doc.line(Math.min(Math.max(1, line), doc.lines));
          view.current.dispatch({
            selection: { anchor: from },
            effects: EditorView.scrollIntoView(from, { y: 'center' }),
          });
          view.current.focus();
        }
      },
      insert: (text) => {
        if (view.current !== null) {
          view.current.dispatch(view.current.state.replaceSelection(text), { scrollIntoView: true });
          view.current.focus();
        }
      },
      replace: (text) => {
        if (view.current !== null) {
          view.current.dispatch({ changes: { from: 0, to: view.current.state.doc.length, insert: text } });
          view.current.focus();
        }
      },
      script: () => (view.current === null ? { script: '', firstLine: 1 } : scriptOf(view.current.state)),
    }),
    [],
  );

  return <div ref={place} className={classes.editor} />;
}
