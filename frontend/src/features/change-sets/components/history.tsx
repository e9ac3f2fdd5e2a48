import { useQuery } from '@tanstack/react-query';

import { DataTable, type Column } from '@/components/ui/data-table';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { RevisionListed } from '@/contracts/api';
import { useRevert } from '@/hooks/use-revert';
import { useMissingRight } from '@/hooks/use-rights';
import { asProblem } from '@/lib/errors';
import { absoluteTime } from '@/lib/time';

import { revisionsQuery } from '../api/revisions-list';
import classes from './change-sets.module.css';

/** What became live, revision by revision; each can be taken back, by way of a draft. */
export function History({ estate }: { estate: string }) {
  const { data, error, refetch } = useQuery(revisionsQuery(estate));
  const missing = useMissingRight('edit');
  const revert = useRevert(estate);
  if (error !== null && data === undefined) {
    return <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  const columns: readonly Column<RevisionListed>[] = [
    { id: 'number', title: 'Revision', width: 90, isNumber: true, cell: ({ number }) => number.toLocaleString('en') },
    { id: 'summary', title: 'What', cell: ({ summary }) => <span title={summary}>{summary}</span> },
    { id: 'author', title: 'Who', width: 130, cell: ({ author }) => author ?? 'Nobody' },
    { id: 'draft', title: 'Draft', width: 80, cell: ({ change_set: number }) => (number === null ? '–' : `#${number}`) },
    { id: 'at', title: 'When (UTC)', width: 210, cell: ({ created_at: at }) => absoluteTime(Date.parse(at)) },
    {
      id: 'revert',
      title: 'Take back',
      width: 100,
      cell: ({ number }) => (
        <GuardedButton
          barred={missing}
          size="compact-xs"
          variant="default"
          loading={revert.isPending && revert.variables === number}
          onClick={() => { revert.mutate(number); }}
          aria-label={`Revert revision ${number}`}
        >
          Revert
        </GuardedButton>
      ),
    },
  ];
  return (
    <div className={classes.table}>
      <DataTable label="Revisions" columns={columns} rows={data?.items ?? []} keyOf={({ number }) => String(number)} rowHeight={36} empty={null} />
    </div>
  );
}
