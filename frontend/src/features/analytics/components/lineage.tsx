import { useTranslation } from 'react-i18next';

import { CopyText } from '@/components/ui/copy-text';
import type { Run } from '@/contracts/api';
import { bytesText, numberText } from '@/i18n';
import { ageText } from '@/live/age';
import { useTimeZone } from '@/lib/time';

import { lineageText, rangeText, secondsOf } from '../runs';
import classes from './analytics.module.css';

/** What the result was computed from; on demand its manifest, with the checksum of each table. */
export function Lineage({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  // Instants are told in the zone of the account.
  useTimeZone((store) => store.chosen);
  const seconds = secondsOf(run);
  return (
    <section className={classes.lineage} aria-label={t('manifest.lineage')}>
      <p>{lineageText(run)}</p>
      <p className={classes.quiet}>
        {t('manifest.line', {
          range: rangeText(run),
          time: seconds === null ? '–' : ageText(Math.max(1, Math.round(seconds))),
          by: run.owner ?? 'nobody',
          bytes: bytesText(run.bytes ?? 0),
        })}
      </p>
      <details className={classes.details}>
        <summary>{t('manifest.title')}</summary>
        <dl className={classes.facts}>
          <dt>{t('manifest.run')}</dt>
          <dd>{run.id}</dd>
          {run.rows_in.map(({ name, rows }) => (
            <div key={name} className={classes.contents}>
              <dt>{t('manifest.rowsIn', { name })}</dt>
              <dd>{numberText(rows)}</dd>
            </div>
          ))}
          {run.notes.map(({ name, value }) => (
            <div key={name} className={classes.contents}>
              <dt>{name.replaceAll('_', ' ')}</dt>
              <dd>{typeof value === 'number' ? numberText(value) : value}</dd>
            </div>
          ))}
        </dl>
        <div className={classes.tableFrame}>
          <table className={classes.table}>
            <caption>{t('manifest.tables')}</caption>
            <thead>
              <tr>
                <th scope="col">{t('manifest.table')}</th>
                <th scope="col" data-number>
                  {t('manifest.rows')}
                </th>
                <th scope="col" data-number>
                  {t('manifest.took')}
                </th>
                <th scope="col">{t('manifest.checksum')}</th>
              </tr>
            </thead>
            <tbody>
              {run.tables.map(({ name, rows, seconds: took, checksum }) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td data-number>{numberText(rows)}</td>
                  <td data-number>{t('seconds', { seconds: numberText(Math.round(took * 10) / 10) })}</td>
                  <td>
                    <CopyText value={checksum} what="hash" />
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
        <p className={classes.quiet}>{t('manifest.checksumAbout')}</p>
      </details>
    </section>
  );
}
