import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Section } from '@/components/ui/section';
import type { ImportBacklog } from '@/contracts/api';

import type { ImportOutcome } from '../api/import-run';
import { countEffects, effectOrder } from '../effects';
import classes from './import-wizard.module.css';

/** What an import has done, and where to go on: to the review of its draft, or to the estate that it made. */
export function ImportResult({ report, onAgain }: { report: ImportOutcome; onAgain: () => void }) {
  const { t } = useTranslation('import');
  const counts = countEffects(report);
  const base = `/estates/${encodeURIComponent(report.estate)}`;
  return (
    <div className={classes.result}>
      <h2>
        {report.change_set === null
          ? t('result.made', { estate: report.estate })
          : t('result.inDraft', { number: report.change_set, estate: report.estate })}
      </h2>
      <dl className={classes.counts}>
        {effectOrder
          .filter((effect) => (counts[effect] ?? 0) > 0)
          .map((effect) => (
            <div key={effect}>
              <dt>{t(`effect.${effect}`)}</dt>
              <dd>{(counts[effect] ?? 0).toLocaleString()}</dd>
            </div>
          ))}
      </dl>
      {report.change_set !== null && <p className={classes.hint}>{t('result.notLive')}</p>}
      <Backlogs backlogs={report.backlogs} />
      <div className={classes.apply}>
        {report.change_set === null ? (
          <Button component={Link} to={`${base}/topology`}>
            {t('result.open')}
          </Button>
        ) : (
          <Button component={Link} to={`${base}/changes/${report.change_set}`}>
            {t('result.review')}
          </Button>
        )}
        <Button variant="default" onClick={onAgain}>
          {t('result.again')}
        </Button>
      </div>
    </div>
  );
}

/** What waited on the servers that were collected; it is told and changes nothing. */
export function Backlogs({ backlogs }: { backlogs: readonly ImportBacklog[] }) {
  const { t } = useTranslation('import');
  if (backlogs.length === 0) {
    return null;
  }
  return (
    <Section title={t('backlogs.heading')} term="transmissionQueue">
      <table className={classes.backlogs}>
        <thead>
          <tr>
            <th scope="col">{t('backlogs.database')}</th>
            <th scope="col">{t('backlogs.service')}</th>
            <th scope="col">{t('backlogs.messages')}</th>
            <th scope="col">{t('backlogs.oldest')}</th>
            <th scope="col">{'transmission_status'}</th>
          </tr>
        </thead>
        <tbody>
          {backlogs.map((each) => (
            <tr key={`${each.instance}/${each.database}/${each.to_service}/${each.status}`}>
              <td>{`${each.instance} · ${each.database}`}</td>
              <td className={classes.mono}>{each.to_service}</td>
              <td>{each.messages.toLocaleString()}</td>
              <td>{each.oldest.replace('T', ' ')}</td>
              <td>{each.status === '' ? t('backlogs.noStatus') : each.status}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}
