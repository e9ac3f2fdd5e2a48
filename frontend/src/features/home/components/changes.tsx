import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useNow } from '@/hooks/use-now';
import { asProblem } from '@/lib/errors';
import { relativeTime, useAbsoluteTime } from '@/lib/time';
import { authorText } from '@/topology/object-words';

import { latestRevisionsQuery, openChangeSetsQuery } from '../api/latest-changes';
import { estatePath } from '../links';
import classes from './home.module.css';

/** What was changed last, by whom, and what is being prepared. */
export function Changes() {
  const { t } = useTranslation(['home', 'common']);
  const { name } = useEstatePage();
  const now = useNow();
  const timeText = useAbsoluteTime();
  const { data, error, refetch } = useQuery(latestRevisionsQuery(name));
  const open = useQuery(openChangeSetsQuery(name)).data?.total ?? 0;
  return (
    <section className={classes.panel} aria-label={t('changes.label')}>
      <header>
        <h2>{t('changes.label')}</h2>
        <Link to={estatePath(name, 'changes')}>{t('changes.all')}</Link>
      </header>
      {open > 0 && <p className={classes.open}>{t('changes.open', { count: open })}</p>}
      {data === undefined && error !== null && (
        <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
      )}
      {data === undefined && error === null && (
        <Skeleton height={180} role="progressbar" aria-label={t('common:loadingPage')} />
      )}
      {data?.items.length === 0 && <p className={classes.none}>{t('changes.none')}</p>}
      <ul className={classes.list}>
        {data?.items.map(({ number, author, created_at: at, summary }) => (
          <li key={number}>
            <span className={classes.summary}>{summary}</span>
            <span className={classes.faint} title={timeText(Date.parse(at))}>
              {t('changes.revision', { revision: number })} ·{' '}
              {t('changes.by', { author: authorText(author), when: relativeTime(Date.parse(at), now) })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
