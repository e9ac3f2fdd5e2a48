import { Button, Skeleton } from '@mantine/core';
import { IconPlayerPlay, IconPlayerStop } from '@tabler/icons-react';
import { lazy, Suspense, useCallback, useMemo, useRef, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';

import { modelNames } from '../editor/model-names';
import type { EditorHandle } from '../editor/sql-editor';
import { isRunning, type Session } from '../session';
import { snippetsFor } from '../snippets';
import { keepText, rememberScript, useTextStore } from '../store';
import { useLeaveWarning } from '../use-leave-warning';
import { useRunKeys } from '../use-run-keys';
import { useSession } from '../use-session';
import { HistoryMenu, SnippetMenu } from './menus';
import { Outputs } from './outputs';
import classes from './sql-console.module.css';
import { StatusLine } from './status-line';

const SqlEditor = lazy(() => import('../editor/sql-editor'));

type Props = { estate: Estate; instance: string; database: string; picker: ReactNode };

/** One session: the script above, what it answers below, and how the session stands around them. */
export function SessionPanel({ estate, instance, database, picker }: Props) {
  const { t } = useTranslation('sql');
  const missing = useMissingRight('operate');
  const editor = useRef<EditorHandle>(null);
  const { session, run, cancel, complete, connect } = useSession({ estate: estate.name, instance, database });
  const isBusy = isRunning(session);
  const start = useCallback(
    (script: string, firstLine: number) => {
      rememberScript(estate.name, { script, instance, database, at: Date.now() });
      run(script, firstLine);
    },
    [estate.name, instance, database, run],
  );
  const startAll = useCallback(() => {
    const { script, firstLine } = editor.current?.script() ?? { script: '', firstLine: 1 };
    start(script, firstLine);
  }, [start]);
  const calls = useCompleting(estate, instance, session.database, start, complete);
  useRunKeys(startAll, cancel);
  useLeaveWarning(session.transactionCount > 0, t('transaction.leave'));
  const phase = usePhaseText(session, instance);
  const barred = missing ?? phase;
  const failedLines = useFailedLines(session);

  return (
    <div className={classes.console}>
      <div className={classes.bar}>
        {/* Another database is another session: nobody shall lose a transaction by looking for one. */}
        <fieldset
          className={classes.fixed}
          disabled={session.transactionCount > 0 && session.phase === 'ready'}
          title={session.transactionCount > 0 ? t('transaction.leave') : undefined}
        >
          {picker}
        </fieldset>
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
            barred={barred}
            onClick={startAll}
            title={t('runHint')}
          >
            {t('run')}
          </GuardedButton>
        )}
        <TransactionChip session={session} isBusy={isBusy} onRun={run} />
        <span className={classes.spring} />
        <SnippetMenu
          snippets={snippetsFor(estate, instance, session.database)}
          onChoose={(text) => editor.current?.insert(text)}
        />
        <HistoryMenu estate={estate.name} onChoose={(text) => editor.current?.replace(text)} />
        <SessionNotice session={session} text={phase} onConnect={connect} />
      </div>
      <div className={classes.editor}>
        <Suspense fallback={<Skeleton height="100%" radius={0} role="progressbar" aria-label={t('loading')} />}>
          <SqlEditor
            ref={editor}
            label={t('editor')}
            initialText={useTextStore.getState().texts[estate.name] ?? ''}
            failedLines={failedLines}
            calls={calls}
          />
        </Suspense>
      </div>
      <div className={classes.results}>
        {/* A scrolling region must be reachable by keyboard. */}
        {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
        <div className={classes.outputs} tabIndex={0} role="region" aria-label={t('results')}>
          {session.run === null ? (
            <p className={classes.notice} style={{ padding: '16px 24px', margin: 0 }}>
              {t('empty')}
            </p>
          ) : (
            <Outputs run={session.run} onLine={(line) => editor.current?.goTo(line)} />
          )}
        </div>
        <StatusLine session={session} instance={instance} />
      </div>
    </div>
  );
}

/** What the phase of a session says, where there is none to type into. */
function usePhaseText(session: Session, instance: string): string | null {
  const { t } = useTranslation('sql');
  const { phase, database, refusal } = session;
  switch (phase) {
    case 'ready':
      return null;
    case 'opening':
      return t('phase.opening', { instance, database });
    case 'lost':
      return t('phase.lost');
    case 'refused':
      return t('phase.refused', {
        code: refusal?.code ?? 0,
        detail: t(`refusal.${reasons.find((each) => each === refusal?.reason) ?? 'other'}`),
      });
  }
}

const reasons = [
  'malformed',
  'unauthenticated',
  'forbidden',
  'unknown-place',
  'silent',
  'protocol',
  'too-many',
  'origin',
] as const;

function useFailedLines({ run }: Session): readonly number[] {
  const text = (run?.outputs ?? [])
    .flatMap((output) => (output.kind === 'failed' && run !== null ? [output.line + run.firstLine - 1] : []))
    .join();
  return useMemo(() => (text === '' ? [] : text.split(',').map(Number)), [text]);
}

type Completing = ReturnType<typeof useSession>['complete'];

/** What the editor calls; names are read only when something is to be completed. */
function useCompleting(
  estate: Estate,
  instance: string,
  database: string,
  run: (script: string, firstLine: number) => void,
  ask: Completing,
) {
  return useMemo(
    () => ({
      run,
      ask,
      changed: (text: string) => {
        keepText(estate.name, text);
      },
      names: () => modelNames(estate, instance, database),
    }),
    [run, ask, estate, instance, database],
  );
}

type ChipProps = { session: Session; isBusy: boolean; onRun: (script: string, firstLine: number) => void };

/** An open transaction is never out of sight, nor is the way to end it. */
function TransactionChip({ session: { transactionCount, phase }, isBusy, onRun }: ChipProps) {
  const { t } = useTranslation('sql');
  if (transactionCount === 0 || phase !== 'ready') {
    return null;
  }
  return (
    <div className={classes.transaction} role="group" aria-label={t('transaction.open', { count: transactionCount })}>
      <span>{t('transaction.open', { count: transactionCount })}</span>
      <Button
        size="compact-xs"
        variant="default"
        disabled={isBusy}
        onClick={() => {
          onRun('COMMIT TRANSACTION;', 1);
        }}
      >
        {t('transaction.commit')}
      </Button>
      <Button
        size="compact-xs"
        variant="default"
        disabled={isBusy}
        onClick={() => {
          onRun('ROLLBACK TRANSACTION;', 1);
        }}
      >
        {t('transaction.rollback')}
      </Button>
    </div>
  );
}

type NoticeProps = { session: Session; text: string | null; onConnect: () => void };

/** What stands between the reader and a session, and what the session keeps from them. */
function SessionNotice({ session, text, onConnect }: NoticeProps) {
  const { t } = useTranslation('sql');
  if (session.phase === 'lost' || session.phase === 'refused') {
    return (
      <div className={classes.notice} data-loud role="alert">
        {text}
        <Button size="compact-xs" variant="default" onClick={onConnect}>
          {t('connect')}
        </Button>
      </div>
    );
  }
  return session.welcome?.withholds_bodies === true ? <div className={classes.notice}>{t('withheld')}</div> : null;
}
