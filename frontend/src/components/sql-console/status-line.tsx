import { useTranslation } from 'react-i18next';

import type { Session } from './session';
import classes from './sql-console.module.css';

type Props = {
  session: Session;
  instance: string;
  /** Shows the first error among the results. */
  onError: () => void;
};

/** How the session stands and how the last script ended; it is told when it changes. */
export function StatusLine({ session, instance, onError }: Props) {
  const { t } = useTranslation('sql');
  const { run, phase, database } = session;
  const errors = run?.outputs.filter(({ kind }) => kind === 'failed').length ?? 0;
  const seconds = run?.elapsedSeconds?.toFixed(2) ?? '';
  return (
    <div className={classes.status} role="status">
      {(phase === 'opening' || phase === 'ready') && <span>{t(`phase.${phase}`, { instance, database })}</span>}
      {run !== null && <span>{t(`outcome.${run.outcome}`, { seconds })}</span>}
      {typeof run?.elapsedSeconds === 'number' && errors === 0 && <span>{t('errors', { count: 0 })}</span>}
      {errors > 0 && (
        <button type="button" className={classes.toError} onClick={onError}>
          {t('errors', { count: errors })}
        </button>
      )}
    </div>
  );
}
