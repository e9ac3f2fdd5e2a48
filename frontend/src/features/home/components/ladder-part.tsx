import { Skeleton } from '@mantine/core';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import { useNow } from '@/hooks/use-now';
import { ageText } from '@/live/age';
import { commonTrouble, type Source } from '@/live/grid/sources';
import type { Ladder } from '@/live/ladder/ladder';
import { rungNames } from '@/live/ladder/rungs';

import { signs } from '../signs';
import classes from './ladder.module.css';
import { RungRow } from './rung-row';

type Props = { ladder: Ladder; sources: readonly Source[]; isReading: boolean };

/** The checks in their order, below what they come to together and who says nothing. */
export function LadderPart({ ladder, sources, isReading }: Props) {
  const { t } = useTranslation('home');
  const id = useId();
  return (
    <section className={classes.part} aria-labelledby={id}>
      <header className={classes.head}>
        <h2 id={id}>{t('ladder.label')}</h2>
        <p>{t('ladder.about')}</p>
      </header>
      {isReading ? (
        <div role="progressbar" aria-label={t('ladder.reading')}>
          {rungNames.map((name) => (
            <Skeleton key={name} height={34} mb={6} radius="sm" />
          ))}
        </div>
      ) : (
        <>
          <Sum ladder={ladder} />
          <Silent sources={sources} />
          <ol className={classes.rungs}>
            {ladder.rungs.map((rung) => (
              <RungRow key={rung.name} rung={rung} isBegin={rung.name === ladder.begin} />
            ))}
          </ol>
        </>
      )}
    </section>
  );
}

/** What the ladder comes to, in a sentence that is told when it changes. */
function Sum({ ladder: { rungs, begin } }: Pick<Props, 'ladder'>) {
  const { t } = useTranslation('home');
  const troubled = rungs.filter(({ verdict }) => verdict === 'bad' || verdict === 'warning');
  const worst =
    rungs.find(({ verdict }) => verdict === 'bad')?.verdict ??
    troubled[0]?.verdict ??
    (begin === null ? 'ok' : 'unknown');
  const name = begin === null ? '' : t(`rung.${begin}.title`);
  return (
    <p className={classes.sum} role="status" data-verdict={worst}>
      <VerdictIcon verdict={signs[worst]} size={22} />
      {begin === null
        ? t('ladder.good', { count: rungs.length })
        : troubled.length === 0
          ? t('ladder.unsure', { name })
          : t('ladder.troubled', { count: troubled.length, name })}
    </p>
  );
}

const silentShown = 4;

/** Who does not say how things are now, and why. */
function Silent({ sources }: { sources: readonly Source[] }) {
  const { t } = useTranslation(['home', 'views']);
  const now = useNow();
  const silent = sources.filter(({ state }) => state !== 'known' && state !== 'missing');
  if (silent.length === 0) {
    return null;
  }
  const isAll = commonTrouble(silent) !== null;
  const shown = isAll ? silent.slice(0, 1) : silent.slice(0, silentShown);
  return (
    <ul className={classes.silent} aria-label={t('views:source.label')}>
      {shown.map((source) => {
        const name = isAll ? t('views:source.everyInstance') : source.instance;
        return (
          <li key={source.instance}>
            <strong>
              {name}: {t(`views:source.${source.state}.word`)}.
            </strong>{' '}
            {t(`views:source.${source.state}.meaning`, { name, reason: source.reason, number: source.number ?? 0 })}
            {source.since !== null && (
              <span className={classes.faint}> {t('ladder.old', { age: ageText((now - source.since) / 1000) })}</span>
            )}
          </li>
        );
      })}
      {silent.length > shown.length && !isAll && (
        <li>{t('ladder.silentMore', { count: silent.length - shown.length })}</li>
      )}
    </ul>
  );
}
