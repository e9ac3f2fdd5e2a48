import { Button, Group, SegmentedControl, Skeleton, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { ChangeSet, DraftFlows } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useSetParameters } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';

import { changes, draftFlowsQuery } from '../api/draft-flows-read';
import { useFlowsAsked, useIntend } from '../use-flow-impact';
import { FlowTable } from './flow-table';
import classes from './flow-impact.module.css';
import { Pages } from './object-filter';
import { TickMany } from './tick-many';

/**
 * What becomes of every flow of the estate with a draft: the lost ones first, each to be ticked as intended before the
 * draft can be applied.
 */
export function FlowImpact({ estate, changeSet }: { estate: string; changeSet: ChangeSet }) {
  const { t } = useTranslation('impact');
  const { change, page, isUnticked } = useFlowsAsked();
  const set = useSetParameters();
  const { data, error, isPlaceholderData, refetch } = useQuery(
    draftFlowsQuery(estate, changeSet, change, page, isUnticked),
  );
  if (data === undefined) {
    return error === null ? (
      <Skeleton height={200} role="progressbar" aria-label={t('barred.checking')} />
    ) : (
      <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />
    );
  }
  const isOlder = isPlaceholderData || data.sequence !== changeSet.sequence;
  return (
    <div className={classes.impact}>
      <p className={classes.summary} role="status">
        {isOlder ? t('older') : t('summary', { flows: data.flows, unchanged: data.unchanged })}
      </p>
      {error !== null && <ProblemPanel problem={asProblem(error)} onRetry={() => void refetch()} />}
      <Unread names={data.unread} />
      {data.lost + data.moved + data.gained === 0 ? (
        <EmptyState>{t('none', { flows: data.flows })}</EmptyState>
      ) : (
        <>
          <Group gap={12}>
            <SegmentedControl
              size="xs"
              aria-label={t('which')}
              value={change}
              data={changes.map((value) => ({ value, label: t(`which_${value}`, { count: data[value] }) }))}
              onChange={(value) => {
                set({ change: value === 'lost' ? null : value, unticked: null, page: null });
              }}
            />
            {change === 'lost' && data.lost > 0 && (
              <Ticking estate={estate} changeSet={changeSet} flows={data} isOlder={isOlder} />
            )}
          </Group>
          {data.rows.length === 0 ? (
            <p className={classes.summary}>{isUnticked && data.lost > 0 ? t('noneUnticked') : t(`none_${change}`)}</p>
          ) : (
            <FlowTable estate={estate} changeSet={changeSet} flows={data} change={change} isOlder={isOlder} />
          )}
          <Pages page={data.page} pages={data.pages} />
        </>
      )}
    </div>
  );
}

/** How far the ticking has come, and the way to tick many. */
function Ticking({ estate, changeSet, flows, isOlder }: Shown) {
  const { t } = useTranslation('impact');
  const missing = useMissingRight('edit');
  const [isOpen, open] = useState(false);
  const { isUnticked } = useFlowsAsked();
  const set = useSetParameters();
  const { lost, unticked } = flows;
  return (
    <>
      <Switch
        size="xs"
        label={t('onlyUnticked', { count: unticked })}
        checked={isUnticked}
        onChange={(event) => {
          set({ unticked: event.currentTarget.checked ? '1' : null, page: null });
        }}
      />
      <span className={classes.progress} role="status">
        {unticked === 0 ? t('allTicked', { count: lost }) : t('toTick', { count: unticked, lost })}
      </span>
      {unticked > 1 && (
        <GuardedButton
          barred={missing ?? (isOlder ? t('older') : null)}
          size="compact-sm"
          variant="default"
          onClick={() => {
            open(true);
          }}
        >
          {t('tickMany.open')}
        </GuardedButton>
      )}
      {isOpen && (
        <TickMany
          estate={estate}
          changeSet={changeSet}
          onClose={() => {
            open(false);
          }}
        />
      )}
      {unticked === 0 && lost > 1 && <UntickPage estate={estate} number={changeSet.number} flows={flows} />}
    </>
  );
}

type Shown = { estate: string; changeSet: ChangeSet; flows: DraftFlows; isOlder: boolean };

function UntickPage({ estate, number, flows }: { estate: string; number: number; flows: DraftFlows }) {
  const { t } = useTranslation('impact');
  const missing = useMissingRight('edit');
  const intend = useIntend(estate, number);
  const keys = flows.rows.filter((row) => row.is_intended).map(({ key }) => key);
  return keys.length === 0 ? null : (
    <GuardedButton
      barred={missing}
      size="compact-sm"
      variant="default"
      loading={intend.isPending}
      onClick={() => {
        intend.mutate({ keys, intended: false });
      }}
    >
      {t('untick', { count: keys.length })}
    </GuardedButton>
  );
}

/** Whose traffic could not be read: there nobody knows which flows are in use. */
function Unread({ names }: { names: readonly string[] }) {
  const { t } = useTranslation('impact');
  return names.length === 0 ? null : (
    <p role="status" className={classes.unread}>
      <VerdictIcon verdict="unknown" size={14} />
      {t('unread', { count: names.length, names: names.join(', ') })}
    </p>
  );
}

/** The name of the tab, with what it holds as soon as that is known. */
export function FlowsTab({ counts }: { counts: DraftFlows | undefined }) {
  const { t } = useTranslation('impact');
  return (
    <span className={classes.tab}>
      {counts !== undefined && counts.unticked > 0 && <VerdictIcon verdict="lost" size={14} />}
      {counts === undefined
        ? t('tab')
        : t('tabCounted', { lost: counts.lost, moved: counts.moved, gained: counts.gained })}
    </span>
  );
}

/** Beside *Apply*: lost flows that nobody has ticked, and the way to them. */
export function LostFlows({ count, onShow }: { count: number; onShow: () => void }) {
  const { t } = useTranslation('impact');
  return count === 0 ? null : (
    <Button
      size="sm"
      variant="default"
      leftSection={<VerdictIcon verdict="lost" size={15} />}
      title={t('beside.hint')}
      onClick={onShow}
    >
      {t('beside.text', { count })}
    </Button>
  );
}
