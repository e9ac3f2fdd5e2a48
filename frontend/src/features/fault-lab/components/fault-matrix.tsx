import { Button, Group, Pagination, Skeleton } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { FlowName } from '@/components/what-if/flow-name';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import type { Fault } from '@/topology/faults';

import { matrixQuery } from '../api/matrix-read';
import { columnsOfPage, pairedMax, type Failure } from '../matrix-columns';
import { useColumns, type Columns } from '../use-columns';
import type { FaultLab } from '../use-fault-lab';
import classes from './fault-matrix.module.css';
import { FlowFailures } from './flow-failures';
import { Legend } from './matrix-legend';
import { MatrixGrid } from './matrix-grid';
import { MatrixTools } from './matrix-tools';

type Props = { lab: FaultLab; failures: readonly Fault[] | undefined };

/** Every flow, or one, under every single failure or every two, on top of what is supposed anyhow. */
export function FaultMatrix({ lab, failures }: Props) {
  if (failures === undefined) {
    return <Skeleton height={320} />;
  }
  return <Chosen lab={lab} failures={failures} />;
}

function Chosen({ lab, failures }: { lab: FaultLab; failures: readonly Fault[] }) {
  const { t } = useTranslation('faults');
  const columns = useColumns(lab, failures);
  const { every, problem, retry, isCut } = columns;
  return (
    <div className={classes.matrix}>
      {lab.flow !== null && <OneFlow lab={lab} flow={lab.flow} />}
      {problem !== null ? (
        <ProblemPanel problem={problem} onRetry={retry} />
      ) : every === null ? (
        <Skeleton height={320} role="progressbar" aria-label={t('matrix.asking')} />
      ) : columns.faults.length === 0 ? (
        <EmptyState>{t(lab.faults.length === 0 ? 'picker.nothing' : 'matrix.nothingLeft')}</EmptyState>
      ) : (
        <>
          {isCut && <p className={classes.note}>{t('matrix.pairsCut', { count: pairedMax })}</p>}
          <Asked lab={lab} columns={columns} every={every} />
        </>
      )}
    </div>
  );
}

/** The flow that is looked at by itself, and the way back to all. */
function OneFlow({ lab, flow }: { lab: FaultLab; flow: NonNullable<FaultLab['flow']> }) {
  const { t } = useTranslation('faults');
  return (
    <div className={classes.one} role="group" aria-label={t('flow.label')}>
      <FlowName flow={{ ...flow, broker_instance: flow.broker_instance ?? null }} characters={60} />
      <span className={classes.note}>{t('flow.about')}</span>
      <Button
        size="compact-xs"
        variant="default"
        onClick={() => {
          lab.setFlow(null);
        }}
      >
        {t('flow.every')}
      </Button>
    </div>
  );
}

function Asked({ lab, columns, every }: { lab: FaultLab; columns: Columns; every: readonly Failure[] }) {
  const { t } = useTranslation('faults');
  const { name: estate } = useEstatePage();
  const [all] = useParameter('all');
  const [pageText] = useParameter('page');
  const [columnsText] = useParameter('columns');
  const shown = columnsOfPage(every, pageOf(columnsText));
  const { data, error, isPlaceholderData, refetch } = useQuery({
    ...matrixQuery(estate, lab, {
      failures: shown.failures,
      flow: lab.flow,
      page: pageOf(pageText),
      onlyChanged: all === null && lab.flow === null,
    }),
    enabled: shown.failures.length > 0,
  });
  return (
    <>
      <MatrixTools lab={lab} columns={columns}>
        {data !== undefined && shown.failures.length > 0 && (
          <span className={classes.count} role="status">
            {isPlaceholderData
              ? t('matrix.older')
              : t(columns.isPairs ? 'matrix.countPairs' : 'matrix.count', {
                  count: data.flows,
                  failures: every.length,
                })}
          </span>
        )}
      </MatrixTools>
      {lab.flow === null && <Legend />}
      {data?.is_whole === false && <p className={classes.note}>{t('matrix.ofPage')}</p>}
      {shown.failures.length === 0 ? (
        <EmptyState>{nothing(columns, lab, t)}</EmptyState>
      ) : data === undefined ? (
        error === null ? (
          <Skeleton height={320} role="progressbar" aria-label={t('matrix.asking')} />
        ) : (
          <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
        )
      ) : data.rows.length === 0 ? (
        <EmptyState>{t(data.flows === 0 ? 'matrix.noFlow' : 'matrix.noneChanges', { count: data.flows })}</EmptyState>
      ) : lab.flow !== null ? (
        <FlowFailures estate={estate} lab={lab} flow={lab.flow} matrix={data} isOlder={isPlaceholderData} />
      ) : (
        <MatrixGrid
          estate={estate}
          lab={lab}
          preset={columns.isPairs ? 'pairs' : 'single'}
          matrix={data}
          isOlder={isPlaceholderData}
        />
      )}
      <div className={classes.foot}>
        <Turn label={t('matrix.flowPages')} page={data?.page ?? 1} pages={data?.pages ?? 1} name="page" />
        <Turn label={t('matrix.failurePages')} page={shown.page} pages={shown.pages} name="columns" />
      </div>
    </>
  );
}

/** Why there is no column. */
function nothing({ kinds, isPairs }: Columns, { flow }: FaultLab, t: ReturnType<typeof useTranslation<'faults'>>['t']) {
  return kinds.length === 0 ? t('matrix.noKind') : isPairs && flow !== null ? t('flow.noPair') : t('matrix.noPair');
}

const pageOf = (text: string | null) => Math.max(1, Number.parseInt(text ?? '1', 10) || 1);

/** From page to page of flows, or of failures; nothing where there is one. */
function Turn({ label, page, pages, name }: { label: string; page: number; pages: number; name: string }) {
  const { t } = useTranslation('review');
  const [, turn] = useParameter(name);
  return pages <= 1 ? null : (
    <Group gap={8}>
      <span className={classes.count}>{label}</span>
      <Pagination
        size="sm"
        total={pages}
        value={page}
        onChange={(chosen) => {
          turn(chosen === 1 ? null : String(chosen));
        }}
        getControlProps={(control) => ({ 'aria-label': `${label}: ${t(`pages.${control}`)}` })}
      />
    </Group>
  );
}
