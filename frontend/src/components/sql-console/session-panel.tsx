import { Button, Skeleton } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';

import { modelNames } from './editor/model-names';
import type { EditorHandle } from './editor/sql-editor';
import { LeaveQuestion } from './leave-question';
import { HistoryMenu, SnippetMenu } from './menus';
import { Outputs } from './outputs';
import { PlacePicker, type Place, type Server } from './place-picker';
import { isRunning, type Session } from './session';
import { SessionNotice, TransactionChip, usePhaseText } from './session-parts';
import { snippetsFor } from './snippets';
import { Split } from './split';
import classes from './sql-console.module.css';
import { StatusLine } from './status-line';
import { keepText, rememberScript, useTextStore } from './store';
import { useLeaving } from './use-leaving';
import { useRunKeys } from './use-run-keys';
import { useSession } from './use-session';

const SqlEditor = lazy(async () => import('./editor/sql-editor'));

type Props = {
  /** Of an estate, or of a sandbox. */
  estate: string;
  /** What is known of it beforehand, for names and snippets; null where nothing is. */
  model: Estate | null;
  servers: readonly Server[];
  place: Place;
  onPlace: (place: Place) => void;
  /** Whether something else of the page stands around it. */
  isFramed?: boolean;
  /** A script has ended. */
  onRan?: () => void;
};

/** One session: the script above, what it answers below, and how the session stands around them. */
export function SessionPanel({ estate, model, servers, place, onPlace, isFramed = false, onRan }: Props) {
  const { t } = useTranslation('sql');
  const { instance, database } = place;
  // A sandbox is its trainee's, whatever their role.
  const missing = useMissingRight(estate.startsWith('~') ? 'view' : 'operate');
  const editor = useRef<EditorHandle>(null);
  const results = useRef<HTMLDivElement>(null);
  const { session, run, cancel, complete, connect } = useSession({ estate, instance, database });
  const isBusy = isRunning(session);
  const start = useCallback(
    (script: string, firstLine: number) => {
      rememberScript(estate, { script, instance, database, at: Date.now() });
      run(script, firstLine);
    },
    [estate, instance, database, run],
  );
  const goTo = useCallback((line: number) => {
    editor.current?.goTo(line);
  }, []);
  const startAll = useCallback(() => {
    const { script, firstLine } = editor.current?.script() ?? { script: '', firstLine: 1 };
    start(script, firstLine);
  }, [start]);
  const here = { instance, database: session.database };
  const calls = useCompleting(estate, model, here, start, complete);
  useRunKeys(startAll, cancel);
  useTold(session, onRan);
  const leaving = useLeaving(session.transactionCount > 0 && session.phase === 'ready', onPlace);
  const phase = usePhaseText(session, instance);
  const failedLines = useFailedLines(session);

  return (
    <div className={classes.console} data-framed={isFramed}>
      <div className={classes.bar}>
        <PlacePicker servers={servers} place={place} onPlace={leaving.choose} />
        {isBusy ? (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlayerStop size={15} />}
            onClick={cancel}
            disabled={session.run?.outcome === 'cancelling'}
          >
            {t(session.run?.outcome === 'cancelling' ? 'cancelling' : 'cancel')}
          </Button>
        ) : (
          <GuardedButton
            size="xs"
            leftSection={<IconPlayerPlay size={15} />}
            barred={missing ?? phase}
            onClick={startAll}
            title={t('runHint')}
          >
            {t('run')}
          </GuardedButton>
        )}
        <TransactionChip session={session} isBusy={isBusy} onRun={run} />
        <span className={classes.spring} />
        {model !== null && (
          <SnippetMenu
            snippets={snippetsFor(model, instance, session.database)}
            onChoose={(text) => editor.current?.insert(text)}
          />
        )}
        <HistoryMenu estate={estate} onChoose={(text) => editor.current?.replace(text)} />
        <SessionNotice session={session} text={phase} onConnect={connect} />
      </div>
      <Split
        above={
          <Suspense fallback={<Skeleton height="100%" radius={0} role="progressbar" aria-label={t('loading')} />}>
            <SqlEditor
              ref={editor}
              label={t('editor')}
              initialText={useTextStore.getState().texts[estate] ?? ''}
              failedLines={failedLines}
              calls={calls}
            />
          </Suspense>
        }
        below={
          // A scrolling region must be reachable by keyboard.
          // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
          <div ref={results} className={classes.outputs} tabIndex={0} role="region" aria-label={t('results')}>
            {session.run === null ? (
              <p className={classes.notice} style={{ padding: '16px 24px', margin: 0 }}>
                {t('empty')}
              </p>
            ) : (
              <Outputs run={session.run} onLine={goTo} />
            )}
          </div>
        }
      />
      <StatusLine
        session={session}
        instance={instance}
        onError={() => {
          showFirstError(results.current);
        }}
      />
      {leaving.question !== null && <LeaveQuestion {...leaving.question} />}
    </div>
  );
}

/** Brings what failed first into view, and to whoever goes by the keyboard. */
function showFirstError(results: HTMLElement | null): void {
  const failed = results?.querySelector<HTMLElement>('[role="alert"]');
  failed?.scrollIntoView({ block: 'nearest' });
  failed?.focus({ preventScroll: true });
}

/** Tells whoever wants to know that a script has ended, once for each. */
function useTold({ run }: Session, onRan: (() => void) | undefined): void {
  const ended = run !== null && run.outcome !== 'running' && run.outcome !== 'cancelling' ? run.id : null;
  const tell = useRef(onRan);
  useEffect(() => {
    tell.current = onRan;
  });
  useEffect(() => {
    if (ended !== null) {
      tell.current?.();
    }
  }, [ended]);
}

function useFailedLines({ run }: Session): readonly number[] {
  const text = (run?.outputs ?? [])
    .flatMap((output) => (output.kind === 'failed' && run !== null ? [output.line + run.firstLine - 1] : []))
    .join();
  return useMemo(() => (text === '' ? [] : text.split(',').map(Number)), [text]);
}

type Completing = ReturnType<typeof useSession>['complete'];

/** What the editor calls; names are read only when something is to be completed. */
function useCompleting(
  estate: string,
  model: Estate | null,
  { instance, database }: Place,
  run: (script: string, firstLine: number) => void,
  ask: Completing,
) {
  return useMemo(
    () => ({
      run,
      ask,
      changed: (text: string) => {
        keepText(estate, text);
      },
      names: () => (model === null ? [] : modelNames(model, instance, database)),
    }),
    [run, ask, estate, model, instance, database],
  );
}
