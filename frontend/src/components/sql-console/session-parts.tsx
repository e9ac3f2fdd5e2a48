import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Session } from './session';
import classes from './sql-console.module.css';

/** What the phase of a session says, where there is none to type into. */
export function usePhaseText(session: Session, instance: string): string | null {
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
  'over',
  'origin',
] as const;

type ChipProps = { session: Session; isBusy: boolean; onRun: (script: string, firstLine: number) => void };

/** An open transaction is never out of sight, nor is the way to end it. */
export function TransactionChip({ session: { transactionCount, phase }, isBusy, onRun }: ChipProps) {
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
export function SessionNotice({ session, text, onConnect }: NoticeProps) {
  const { t } = useTranslation('sql');
  if (session.phase === 'lost' || session.phase === 'refused') {
    return (
      <div className={classes.notice} data-loud role="alert">
        {text}
        {session.refusal?.reason !== 'over' && (
          <Button size="compact-xs" variant="default" onClick={onConnect}>
            {t('connect')}
          </Button>
        )}
      </div>
    );
  }
  return session.welcome?.withholds_bodies === true ? <div className={classes.notice}>{t('withheld')}</div> : null;
}
