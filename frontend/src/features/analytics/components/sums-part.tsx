import { Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { asProblem } from '@/lib/errors';

import { sumsQuery, type SumsAsked } from '../api/tables';
import { sumsOf, type Sums } from '../options/sums';

type Props = {
  run: Run;
  table: string;
  asked: SumsAsked;
  none: string;
  children: (sums: Sums) => ReactNode;
};

/** The sums that a chart is made of: the server adds up the whole table, however long it is. */
export function SumsPart({ run, table, asked, none, children }: Props) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const { data, error, refetch } = useQuery(sumsQuery(estate, run.id, table, asked));
  const sums = useMemo(() => (data === undefined ? null : sumsOf(data)), [data]);
  if (sums === null) {
    return error === null ? (
      <Skeleton height={180} role="progressbar" aria-label={t('chart.reading')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  return sums.groups === 0 ? <EmptyState>{none}</EmptyState> : children(sums);
}
