import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';

import type { PairRow } from '../rows';
import classes from './traffic.module.css';

/** What did not work in the newest run, by pair and number. */
export function ErrorList({ rows }: { rows: readonly PairRow[] }) {
  const { t } = useTranslation('traffic');
  const lines = rows.flatMap((row) => (row.figures?.errors ?? []).map((error) => ({ row, error })));
  if (lines.length === 0) {
    return null;
  }
  return (
    <section className={classes.errors} aria-label={t('errors')}>
      <h2>{t('errors')}</h2>
      <ul>
        {lines.map(({ row, error }) => (
          <li key={`${row.key} ${error.code}`}>
            <VerdictIcon verdict="error" size={16} />
            <span>
              {t('error', {
                count: error.count,
                code: String(error.code),
                text: error.text,
                from: row.from.service,
                to: row.toService,
              })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
