import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { ProblemPanel } from '@/components/ui/problem-panel';
import { asProblem } from '@/lib/errors';

import { lessonsQuery } from '../api/training';
import classes from './training.module.css';

/** What there is to read, for people who would rather read first. */
export function LessonList() {
  const { t } = useTranslation('training');
  const { data, error, refetch } = useQuery(lessonsQuery());
  return (
    <section className={classes.lessons} aria-labelledby="lessons">
      <h2 id="lessons">{t('lessons.heading')}</h2>
      <p className={classes.faint}>{t('lessons.about')}</p>
      {data === undefined ? (
        error === null ? (
          <Skeleton height={120} role="progressbar" aria-label={t('lessons.reading')} />
        ) : (
          <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
        )
      ) : (
        <ol>
          {data.lessons.map(({ id, title }) => (
            <li key={id}>
              <Link to={`/training/lessons/${encodeURIComponent(id)}`}>{title}</Link>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}
