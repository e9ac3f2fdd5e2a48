import { Skeleton } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { Page, PageBody, PageProblem } from '@/components/ui/page';
import type { Run, RunJob } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { useTimeZone } from '@/lib/time';

import { analyticsAddress, runAddress } from '../addresses';
import { runQuery } from '../api/runs';
import { chartQuery, sumsQuery } from '../api/tables';
import type { TablePage, TableSums } from '../api/types';
import { cellText, columnTitle } from '../columns';
import { comparedRows, differenceText, type Part } from '../options/compare';
import { records } from '../options/records';
import { lineageText } from '../runs';
import classes from './analytics.module.css';

const groupsMax = 4_000;

/** Of each job the table that says it in one look, and what tells its rows apart. */
const compared: Record<RunJob, { table: string; keys: readonly string[]; figures: readonly string[] }> = {
  delivery: {
    table: 'by_service',
    keys: ['to_service'],
    figures: ['messages', 'latency_p50', 'latency_p95', 'latency_p99', 'resend_ratio', 'drops'],
  },
  audit: {
    table: 'summary',
    keys: ['estate'],
    figures: ['sent', 'delivered', 'lost', 'doubled', 'forked', 'reordered', 'unsent', 'unacknowledged', 'unseen'],
  },
  paths: { table: 'links', keys: ['instance', 'address'], figures: ['messages', 'share'] },
  whatif: {
    table: 'changes',
    // Of two runs the revisions differ: what becomes of the same sender and destination is compared.
    keys: ['change', 'instance', 'database', 'service', 'direction', 'to_service'],
    figures: ['conversations', 'flows'],
  },
};

/** Two runs of the same job beside each other, row by row. */
export function CompareRoom() {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const [one] = useParameter('one');
  const [other] = useParameter('other');
  const first = useQuery({ ...runQuery(estate, one ?? ''), enabled: one !== null });
  const second = useQuery({ ...runQuery(estate, other ?? ''), enabled: other !== null });
  const failed = first.error ?? second.error;
  return (
    <Page
      heading={t('compare.heading')}
      about={t('compare.about')}
      above={
        <Link className={classes.back ?? ''} to={analyticsAddress(estate)}>
          <IconArrowLeft size={15} aria-hidden /> {t('heading')}
        </Link>
      }
    >
      <PageBody>
        {first.data !== undefined && second.data !== undefined ? (
          first.data.job === second.data.job ? (
            <Compared before={first.data} after={second.data} />
          ) : (
            <EmptyState>{t('compare.otherJobs')}</EmptyState>
          )
        ) : failed !== null ? (
          <PageProblem
            problem={asProblem(failed)}
            onRetry={() => void Promise.all([first.refetch(), second.refetch()])}
          />
        ) : (
          <Skeleton height={320} role="progressbar" aria-label={t('reading')} />
        )}
      </PageBody>
    </Page>
  );
}

type Read = TablePage | TableSums;

/** The largest rows; of a what-if they are sums, since its rows are told apart by more than these columns. */
function useLargest(estate: string, { id, job }: Run) {
  const { table, keys, figures } = compared[job];
  const sums = sumsQuery(estate, id, table, { by: keys, of: figures, limit: groupsMax });
  const rows = chartQuery(estate, id, table, { column: figures[0] ?? '', isDescending: true });
  const ofSums = useQuery({ ...sums, enabled: job === 'whatif' });
  const ofRows = useQuery({ ...rows, enabled: job !== 'whatif' });
  const { error, refetch } = job === 'whatif' ? ofSums : ofRows;
  const data: Read | undefined = job === 'whatif' ? ofSums.data : ofRows.data;
  return { data, error, refetch };
}

function partOf(read: Read): Part {
  return { rows: records(read), total: 'total' in read ? read.total : read.total_groups };
}

function Compared({ before, after }: { before: Run; after: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  useTimeZone((store) => store.chosen);
  const { keys, figures } = compared[before.job];
  const one = useLargest(estate, before);
  const other = useLargest(estate, after);
  if (one.data === undefined || other.data === undefined) {
    const failed = one.error ?? other.error;
    return failed === null ? (
      <Skeleton height={320} role="progressbar" aria-label={t('reading')} />
    ) : (
      <PageProblem problem={asProblem(failed)} onRetry={() => void Promise.all([one.refetch(), other.refetch()])} />
    );
  }
  const [was, is] = [partOf(one.data), partOf(other.data)];
  const rows = comparedRows({ before: was, after: is }, keys, figures);
  const total = Math.max(was.total, is.total);
  const differing = rows.filter(({ figures: pairs }) => pairs.some(({ was, is }) => was !== is)).length;
  const typeOf = new Map(one.data.columns.map((column) => [column.name, column]));
  const text = (name: string, figure: number | null) => {
    const column = typeOf.get(name) ?? { name, type: 'number' as const };
    return figure === null ? '–' : cellText(column, figure);
  };
  return (
    <section className={classes.part} aria-label={t('compare.heading')}>
      <ol className={classes.runsCompared}>
        {[before, after].map((run) => (
          <li key={run.id}>
            <Link className={classes.link} to={runAddress(estate, run.id)}>
              {lineageText(run)}
            </Link>
          </li>
        ))}
      </ol>
      {rows.length > 0 && (
        <p className={classes.differ}>{t('compare.differ', { differing, rows: rows.length })}</p>
      )}
      <div className={classes.tableFrame}>
        <table className={classes.table}>
          <caption>{t('compare.heading')}</caption>
          <thead>
            <tr>
              {keys.map((name) => (
                <th key={name} scope="col">
                  {columnTitle(name)}
                </th>
              ))}
              {figures.map((name) => (
                <th key={name} scope="col" data-number>
                  {columnTitle(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ key, names, figures: pairs }) => (
              <tr key={key}>
                {names.map((name, place) => (
                  <td key={keys[place]}>{name}</td>
                ))}
                {pairs.map(({ was, is }, place) => {
                  const name = figures[place] ?? '';
                  return (
                    <td key={name} data-number data-changed={was !== is}>
                      {was === is ? text(name, is) : t('compare.becomes', { was: text(name, was), is: text(name, is) })}
                      {was !== is && <span className={classes.second}>{differenceText(was, is)}</span>}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {total > rows.length && <p className={classes.quiet}>{t('compare.largest', { shown: rows.length, total })}</p>}
    </section>
  );
}
