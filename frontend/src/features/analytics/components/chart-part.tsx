import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';

import { chartQuery, type Filter, type Sorting } from '../api/tables';
import { records, type Row } from '../options/records';
import classes from './card.module.css';

type Props = {
  run: Run;
  table: string;
  sorting?: Sorting | null;
  filters?: readonly Filter[];
  none: string;
  children: (rows: Row[]) => ReactNode;
};

/** The rows that a chart is made of; of very long tables the first ones, which is said. */
export function ChartPart({ run, table, sorting = null, filters, none, children }: Props) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const { data, error, refetch } = useQuery(chartQuery(estate, run.id, table, sorting, filters));
  const rows = useMemo(() => (data === undefined ? [] : records(data)), [data]);
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={180} role="progressbar" aria-label={t('chart.reading')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  if (rows.length === 0) {
    return <EmptyState>{none}</EmptyState>;
  }
  return (
    <>
      {children(rows)}
      {data.total > rows.length && (
        <p className={classes.about}>{t('chart.first', { shown: rows.length, total: data.total })}</p>
      )}
    </>
  );
}
