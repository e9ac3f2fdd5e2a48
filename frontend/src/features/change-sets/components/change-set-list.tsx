import { Button, SegmentedControl } from '@mantine/core';
import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';

import { Badge } from '@/components/ui/badge';
import { DataTable, type Column } from '@/components/ui/data-table';
import { EmptyState } from '@/components/ui/empty-state';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Older } from '@/components/ui/older';
import { ListPart, PageProblem, ToolBar } from '@/components/ui/page';
import type { ChangeSetListed, ChangeSetState } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useParameter } from '@/hooks/use-view-state';
import { numberText } from '@/i18n';
import { createChangeSet } from '@/lib/api/change-set-create';
import { changeSetPagesQuery } from '@/lib/api/change-sets-list';
import { asProblem } from '@/lib/errors';
import { tellProblem } from '@/lib/notices';
import { refreshEstate } from '@/lib/refresh';
import { absoluteTime } from '@/lib/time';
import { authorText } from '@/topology/object-words';

import classes from './change-sets.module.css';

const states: readonly ChangeSetState[] = ['open', 'applied', 'discarded'];

const columns = (t: TFunction<'review'>): readonly Column<ChangeSetListed>[] => [
  {
    id: 'number',
    title: t('list.number'),
    width: 110,
    cell: ({ number }) => <span className={classes.mono}>#{number}</span>,
  },
  { id: 'title', title: t('list.title'), cell: (row) => <TitleCell {...row} /> },
  { id: 'author', title: t('list.author'), width: 130, cell: ({ author }) => authorText(author) },
  {
    id: 'done',
    title: t('list.actions'),
    width: 80,
    isNumber: true,
    cell: ({ decision_count: count }) => numberText(count),
  },
  { id: 'base', title: t('list.base'), width: 170, cell: (row) => <BaseCell {...row} /> },
  {
    id: 'changed',
    title: t('list.changed'),
    isTime: true,
    width: 210,
    cell: ({ changed_at: at }) => absoluteTime(Date.parse(at)),
  },
];

function TitleCell({ title, state, is_empty: isEmpty }: ChangeSetListed) {
  const { t } = useTranslation('review');
  return (
    <>
      {title === '' ? <span className={classes.place}>{t('list.untitled')}</span> : title}
      {state === 'open' && isEmpty && <EmptyBadge />}
    </>
  );
}

function EmptyBadge() {
  const { t } = useTranslation('review');
  return (
    <span className={classes.emptyBadge}>
      <Badge>{t('empty.badge')}</Badge>
    </span>
  );
}

function BaseCell({ base_revision: base, is_behind: isBehind, applied_revision: applied }: ChangeSetListed) {
  const { t } = useTranslation('review');
  if (applied !== null) {
    return <Badge verdict="delivered">{t('revision', { revision: applied })}</Badge>;
  }
  return isBehind ? (
    <Badge verdict="delayed">{t('behind', { revision: base })}</Badge>
  ) : (
    t('revision', { revision: base })
  );
}

/** The drafts of an estate, and those that were drafts. */
export function ChangeSetList({ estate }: { estate: string }) {
  const { t } = useTranslation('review');
  const [asked, setAsked] = useParameter('state');
  const state = states.find((value) => value === asked) ?? 'open';
  const pages = useInfiniteQuery(changeSetPagesQuery(estate, state));
  const { data, error, refetch } = pages;
  const navigate = useNavigate();
  const open = (number: number) => void navigate(`/estates/${encodeURIComponent(estate)}/changes/${number}`);
  if (error !== null && data === undefined) {
    return <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  return (
    <ListPart
      bar={
        <ToolBar>
          <SegmentedControl
            size="xs"
            data={states.map((value) => ({ value, label: t(`list.${value}`) }))}
            value={state}
            onChange={setAsked}
            aria-label={t('list.which')}
          />
          <span className={classes.spring} />
          <StartDraft estate={estate} />
        </ToolBar>
      }
      foot={<Older pages={pages} />}
    >
      <DataTable
        label={t('list.label')}
        columns={columns(t)}
        rows={data?.pages.flatMap(({ items }) => items) ?? []}
        keyOf={({ number }) => String(number)}
        rowHeight={36}
        onSelect={({ number }) => {
          open(number);
        }}
        empty={data === undefined ? null : <Nothing estate={estate} state={state} />}
      />
    </ListPart>
  );
}

function Nothing({ estate, state }: { estate: string; state: ChangeSetState }) {
  const { t } = useTranslation('review');
  if (state !== 'open') {
    return <EmptyState>{t(`list.none.${state}`)}</EmptyState>;
  }
  return (
    <EmptyState
      action={
        <Button component={Link} size="xs" variant="default" to={`/estates/${encodeURIComponent(estate)}/topology`}>
          {t('list.toMap')}
        </Button>
      }
    >
      {t('list.none.open')}
    </EmptyState>
  );
}

function StartDraft({ estate }: { estate: string }) {
  const { t } = useTranslation('review');
  const missing = useMissingRight('edit');
  const navigate = useNavigate();
  const queries = useQueryClient();
  const start = useMutation({
    mutationFn: () => createChangeSet(estate),
    onSuccess: async ({ number }) => {
      await refreshEstate(queries, estate);
      void navigate(`/estates/${encodeURIComponent(estate)}/topology?draft=${number}`);
    },
    onError: tellProblem,
  });
  return (
    <GuardedButton
      barred={missing}
      size="xs"
      loading={start.isPending}
      onClick={() => {
        start.mutate();
      }}
    >
      {t('list.start')}
    </GuardedButton>
  );
}
