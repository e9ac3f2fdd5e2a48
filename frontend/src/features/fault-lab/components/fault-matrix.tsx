import { Chip, Group, Pagination, Skeleton, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useParameter, useSetParameters } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { faultKinds, hasFault, type Fault, type FaultKind } from '@/topology/faults';

import { matrixQuery } from '../api/matrix-read';
import { columnsOf, columnsOfPage, kindsOf } from '../matrix-columns';
import type { FaultLab } from '../use-fault-lab';
import classes from './fault-matrix.module.css';
import { Legend } from './matrix-legend';
import { MatrixGrid } from './matrix-grid';

type Props = { lab: FaultLab; failures: readonly Fault[] | undefined };

/** Every flow under every single failure, on top of what is supposed anyhow. */
export function FaultMatrix({ lab, failures }: Props) {
  const { t } = useTranslation('faults');
  if (failures === undefined) {
    return <Skeleton height={320} />;
  }
  const further = failures.filter((fault) => !hasFault(lab.faults, fault));
  return further.length === 0 ? (
    <EmptyState>{t('matrix.nothingLeft')}</EmptyState>
  ) : (
    <Chosen lab={lab} failures={further} />
  );
}

function Chosen({ lab, failures }: { lab: FaultLab; failures: readonly Fault[] }) {
  const { t } = useTranslation('faults');
  const { name: estate } = useEstatePage();
  const [kindsText] = useParameter('kinds');
  const [all] = useParameter('all');
  const [pageText] = useParameter('page');
  const [columnsText] = useParameter('columns');
  const set = useSetParameters();
  const present = faultKinds.filter((kind) => failures.some((fault) => fault.kind === kind));
  const kinds = kindsOf(kindsText, present);
  const every = columnsOf(failures, kinds);
  const shown = columnsOfPage(every, pageOf(columnsText));
  const onlyChanged = all === null;
  const query = useQuery({
    ...matrixQuery(estate, lab, shown.faults, pageOf(pageText), onlyChanged),
    enabled: shown.faults.length > 0,
  });
  const { data, error, isPlaceholderData, refetch } = query;
  return (
    <div className={classes.matrix}>
      <div className={classes.tools}>
        <Chip.Group
          multiple
          value={[...kinds]}
          onChange={(chosen) => {
            const left = present.filter((kind) => chosen.includes(kind));
            set({ kinds: left.length === present.length ? null : left.join(',') || noKind, page: null, columns: null });
          }}
        >
          <Group gap={6} role="group" aria-label={t('matrix.kinds')}>
            {present.map((kind: FaultKind) => (
              <Chip key={kind} value={kind} size="xs" radius="sm">
                {t('matrix.kind', {
                  kind: t(`kind.${kind}`),
                  count: failures.filter((one) => one.kind === kind).length,
                })}
              </Chip>
            ))}
          </Group>
        </Chip.Group>
        <Switch
          size="xs"
          label={t('matrix.onlyChanged')}
          checked={onlyChanged}
          onChange={(event) => {
            set({ all: event.currentTarget.checked ? null : '1', page: null });
          }}
        />
        {data !== undefined && (
          <span className={classes.count} role="status">
            {isPlaceholderData ? t('matrix.older') : t('matrix.count', { count: data.flows, failures: every.length })}
          </span>
        )}
      </div>
      <Legend />
      {data?.is_whole === false && <p className={classes.note}>{t('matrix.ofPage')}</p>}
      {shown.faults.length === 0 ? (
        <EmptyState>{t('matrix.noKind')}</EmptyState>
      ) : data === undefined ? (
        error === null ? (
          <Skeleton height={320} role="progressbar" aria-label={t('matrix.asking')} />
        ) : (
          <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
        )
      ) : data.rows.length === 0 ? (
        <EmptyState>{t(data.flows === 0 ? 'matrix.noFlow' : 'matrix.noneChanges', { count: data.flows })}</EmptyState>
      ) : (
        <MatrixGrid estate={estate} lab={lab} matrix={data} isOlder={isPlaceholderData} />
      )}
      <div className={classes.foot}>
        <Turn label={t('matrix.flowPages')} page={data?.page ?? 1} pages={data?.pages ?? 1} name="page" />
        <Turn label={t('matrix.failurePages')} page={shown.page} pages={shown.pages} name="columns" />
      </div>
    </div>
  );
}

/** Stands in the address when every kind is switched off. */
const noKind = 'none';

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
