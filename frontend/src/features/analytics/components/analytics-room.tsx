import { Button, Skeleton } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { CopyText } from '@/components/ui/copy-text';
import { PageProblem } from '@/components/ui/page';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';

import { lakeQuery } from '../api/lake';
import { runsQuery } from '../api/runs';
import classes from './analytics.module.css';
import { LakePart } from './lake-part';
import { NewRun } from './new-run';
import { RunList } from './run-list';

/** Questions over all events of the estate: what there is of them, a new one, and those that were asked. */
export function AnalyticsRoom() {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const lake = useQuery(lakeQuery(estate));
  const runs = useInfiniteQuery(runsQuery(estate));
  if (lake.data === undefined || runs.data === undefined) {
    const failed = lake.data === undefined ? lake.error : runs.error;
    return failed === null ? (
      <Skeleton height={360} role="progressbar" aria-label={t('reading')} />
    ) : (
      <PageProblem problem={asProblem(failed)} onRetry={() => void Promise.all([lake.refetch(), runs.refetch()])} />
    );
  }
  return (
    <div className={classes.room}>
      {!lake.data.is_available && <Setup />}
      {lake.data.is_available && lake.data.events === 0 && runs.data.length === 0 && <FirstStep />}
      <LakePart lake={lake.data} />
      <NewRun lake={lake.data} />
      <RunList runs={runs.data} />
      {runs.isFetchNextPageError && <ProblemPanel problem={asProblem(runs.error)} />}
      {runs.hasNextPage && (
        <div>
          <Button variant="default" loading={runs.isFetchingNextPage} onClick={() => void runs.fetchNextPage()}>
            {t('runs.older')}
          </Button>
        </div>
      )}
    </div>
  );
}

const setup = ['make', 'setup-spark'].join(' ');

/** What to do where Spark is not installed. */
function Setup() {
  const { t } = useTranslation('analytics');
  return (
    <section className={classes.notice} aria-label={t('setup.title')} data-warn>
      <h2>{t('setup.title')}</h2>
      <p>{t('setup.about')}</p>
      <ol>
        <li>
          {t('setup.install')} <CopyText value={setup} what="command" />
        </li>
        <li>{t('setup.restart')}</li>
      </ol>
    </section>
  );
}

/** What the page is for, and how one begins. */
function FirstStep() {
  const { t } = useTranslation('analytics');
  return (
    <section className={classes.notice} aria-label={t('first.title')}>
      <h2>{t('first.title')}</h2>
      <p>{t('first.about')}</p>
      <ol>
        <li>{t('first.export')}</li>
        <li>{t('first.run')}</li>
        <li>{t('first.read')}</li>
      </ol>
    </section>
  );
}
