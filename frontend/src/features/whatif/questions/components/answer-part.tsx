import { Loader, Pagination, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { ListFoot } from '@/components/ui/page';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { TableQuestion, TableRequest } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useSetParameters } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';

import { tableFile } from '../api/table-file';
import { tableQuery } from '../api/table-read';
import { formatSorting } from '../sorting';
import { stateOf, type TableAsked } from '../use-table';
import { AnswerTable } from './answer-table';
import { AnswerTools } from './answer-tools';
import classes from './questions.module.css';

type Props = { question: TableQuestion; table: TableAsked; request: TableRequest };

/** The answer to a question that is answered at once, by pages that the server sorts. */
export function AnswerPart({ question, table, request }: Props) {
  const { t } = useTranslation(['tables', 'review']);
  const estate = useEstatePage();
  const set = useSetParameters();
  const { sorting, page } = table;
  const query = useQuery(tableQuery(estate.name, question.name, request, stateOf(estate), sorting, page));
  const { data: answer, error, isPlaceholderData, refetch } = query;
  if (error !== null) {
    return <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />;
  }
  // What is left over of another question has other columns.
  if (answer?.question !== question.name) {
    return (
      <>
        <Skeleton height={240} role="progressbar" aria-label={t('tables:asking')} />
        <p className={classes.slow}>
          <Loader size={14} aria-hidden />
          {t('tables:askingLong')}
        </p>
      </>
    );
  }
  return (
    <>
      <AnswerTools
        answer={answer}
        table={table}
        isOlder={isPlaceholderData}
        file={{
          name: `${question.name}.csv`,
          read: () => tableFile(estate.name, question.name, request, sorting),
        }}
      />
      {/* It scrolls, so it must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={classes.scroll} role="region" aria-label={t('tables:answer')} tabIndex={0}>
        <AnswerTable
          answer={answer}
          table={table}
          isOlder={isPlaceholderData}
          onSort={(next) => {
            set({ sort: formatSorting(next), page: null });
          }}
        />
      </div>
      {answer.pages > 1 && (
        <ListFoot>
          <Pagination
            size="sm"
            total={answer.pages}
            value={answer.page}
            onChange={(chosen) => {
              set({ page: chosen === 1 ? null : String(chosen) });
            }}
            getControlProps={(control) => ({ 'aria-label': t(`review:pages.${control}`) })}
          />
        </ListFoot>
      )}
    </>
  );
}
