import { useTranslation } from 'react-i18next';

import { useNow } from '@/hooks/use-now';
import { ageText } from '@/live/age';
import { commonTrouble, type Source } from '@/live/grid/sources';

import classes from './grid.module.css';

/** What is known of an instance, in a word: never nothing, and never more than is so. */
export function SourceWord({ source }: { source: Source }) {
  const { t } = useTranslation('views');
  return <>{t(`source.${source.state}.word`)}</>;
}

/** How old its rows are, ticking; nothing while they are those of now. */
export function SourceAge({ source }: { source: Source }) {
  const { t } = useTranslation('views');
  const now = useNow();
  return source.since === null ? null : (
    <span className={classes.faint}>{t('source.asOf', { age: ageText((now - source.since) / 1000) })}</span>
  );
}

/** Instances whose rows are not those of now, each with the reason, above the table. */
export function SourceStrip({ sources }: { sources: readonly Source[] }) {
  const { t } = useTranslation('views');
  const troubled = sources.filter(({ state }) => state !== 'known' && state !== 'waiting');
  if (troubled.length === 0) {
    return null;
  }
  const first = commonTrouble(sources);
  if (first !== null) {
    return (
      <p className={classes.strip} role="status">
        <strong>
          <SourceWord source={first} />
        </strong>
        {t(`source.${first.state}.meaning`, {
          name: t('source.everyInstance'),
          reason: first.reason,
          number: first.number ?? 0,
        })}
        <SourceAge source={first} />
      </p>
    );
  }
  return (
    <ul className={classes.strip} aria-label={t('source.label')}>
      {troubled.map((source) => (
        <li key={source.instance}>
          <strong>
            {source.instance}: <SourceWord source={source} />
          </strong>
          {t(`source.${source.state}.meaning`, {
            name: source.instance,
            reason: source.reason,
            number: source.number ?? 0,
          })}
          <SourceAge source={source} />
        </li>
      ))}
    </ul>
  );
}
