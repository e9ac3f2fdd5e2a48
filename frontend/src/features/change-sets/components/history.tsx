import { useInfiniteQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { DataTable, type Column } from '@/components/ui/data-table';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Older } from '@/components/ui/older';
import { ListPart, PageProblem } from '@/components/ui/page';
import type { RevisionListed } from '@/contracts/api';
import { useRevert } from '@/hooks/use-revert';
import { useMissingRight } from '@/hooks/use-rights';
import { numberText } from '@/i18n';
import { revisionPagesQuery } from '@/lib/api/revisions-list';
import { asProblem } from '@/lib/errors';
import { absoluteTime } from '@/lib/time';
import { authorText } from '@/topology/object-words';

/** What became live, revision by revision; each can be taken back, by way of a draft. */
export function History({ estate }: { estate: string }) {
  const { t } = useTranslation('review');
  const pages = useInfiniteQuery(revisionPagesQuery(estate));
  const { data, error, refetch } = pages;
  const missing = useMissingRight('edit');
  const revert = useRevert(estate);
  if (error !== null && data === undefined) {
    return <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  const columns: readonly Column<RevisionListed>[] = [
    {
      id: 'number',
      title: t('history.revision'),
      width: 110,
      isNumber: true,
      cell: ({ number }) => numberText(number),
    },
    { id: 'summary', title: t('history.what'), cell: ({ summary }) => <span title={summary}>{summary}</span> },
    { id: 'author', title: t('history.who'), width: 130, cell: ({ author }) => authorText(author) },
    {
      id: 'draft',
      title: t('history.draft'),
      width: 80,
      cell: ({ change_set: number }) => (number === null ? '–' : `#${number}`),
    },
    {
      id: 'at',
      title: t('history.when'),
      isTime: true,
      width: 210,
      cell: ({ created_at: at }) => absoluteTime(Date.parse(at)),
    },
    {
      id: 'revert',
      title: t('history.takeBack'),
      width: 120,
      cell: ({ number }) => (
        <GuardedButton
          barred={missing}
          size="compact-xs"
          variant="default"
          loading={revert.isPending && revert.variables === number}
          onClick={() => {
            revert.mutate(number);
          }}
          aria-label={t('history.revertNamed', { revision: number })}
        >
          {t('history.revert')}
        </GuardedButton>
      ),
    },
  ];
  return (
    <ListPart foot={<Older pages={pages} />}>
      <DataTable
        label={t('history.label')}
        columns={columns}
        rows={data?.pages.flatMap(({ items }) => items) ?? []}
        keyOf={({ number }) => String(number)}
        rowHeight={36}
        empty={null}
      />
    </ListPart>
  );
}
