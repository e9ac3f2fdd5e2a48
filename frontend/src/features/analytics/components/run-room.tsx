import { Skeleton } from '@mantine/core';
import { IconArrowLeft, IconRefresh, IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useParams, useSearchParams } from 'react-router';

import { GuardedButton } from '@/components/ui/guarded-button';
import { Page, PageBody, PageProblem, Split } from '@/components/ui/page';
import type { Run } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useMissingRight } from '@/hooks/use-rights';
import { useSetParameters } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';

import { analyticsAddress } from '../addresses';
import { runQuery } from '../api/runs';
import { drillOf, drillParameters, type Drill } from '../drill';
import { isUnderWay } from '../runs';
import { AuditView } from '../views/audit';
import { DeliveryView } from '../views/delivery';
import { PathsView } from '../views/paths';
import { WhatIfView } from '../views/what-if';
import classes from './analytics.module.css';
import { DeleteRun } from './delete-run';
import { Lineage } from './lineage';
import { OtherTables } from './other-tables';
import { RunOutcome } from './run-outcome';
import { Samples } from './samples';
import { ShowOnMap } from './show-on-map';
import { useBarredFrom, useRunActions } from './use-run-actions';

/** A run: what it was computed from, its charts with their tables, and what can be done with it. */
export function RunRoom() {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const { run: id = '' } = useParams();
  const { data: run, error, refetch } = useQuery(runQuery(estate, id));
  return (
    <Page
      heading={run === undefined ? t('heading') : t(`job.${run.job}.title`)}
      {...(run === undefined ? {} : { about: t(`job.${run.job}.about`), beside: <Tools run={run} /> })}
      above={
        <Link className={classes.back ?? ''} to={analyticsAddress(estate)}>
          <IconArrowLeft size={15} aria-hidden /> {t('heading')}
        </Link>
      }
    >
      {run !== undefined ? (
        <Result key={run.id} run={run} />
      ) : error !== null ? (
        <PageProblem problem={asProblem(error)} onRetry={() => void refetch()} />
      ) : (
        <Skeleton height={320} role="progressbar" aria-label={t('reading')} />
      )}
    </Page>
  );
}

function Tools({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const { name: estate } = useEstatePage();
  const navigate = useNavigate();
  const missing = useMissingRight('operate');
  const barred = useBarredFrom(run);
  const [isAsking, setAsking] = useState(false);
  const { again, remove } = useRunActions(() => void navigate(analyticsAddress(estate)));
  if (isUnderWay(run)) {
    return null;
  }
  return (
    <span className={classes.tools}>
      {run.state === 'done' && run.job === 'whatif' && <ShowOnMap run={run} />}
      <GuardedButton
        barred={missing}
        variant="default"
        leftSection={<IconRefresh size={15} />}
        loading={again.isPending}
        onClick={() => {
          again.mutate(run.id);
        }}
      >
        {t('run.again')}
      </GuardedButton>
      <GuardedButton
        barred={barred}
        variant="default"
        leftSection={<IconTrash size={15} />}
        onClick={() => {
          setAsking(true);
        }}
      >
        {t('run.delete')}
      </GuardedButton>
      {isAsking && (
        <DeleteRun
          run={run}
          isBusy={remove.isPending}
          onConfirm={() => {
            remove.mutate(run.id);
          }}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </span>
  );
}

function Result({ run }: { run: Run }) {
  const { t } = useTranslation('analytics');
  const [parameters] = useSearchParams();
  const set = useSetParameters();
  const drill = useMemo(() => (run.job === 'whatif' ? drillOf(parameters) : null), [run.job, parameters]);
  const onDrill = (next: Drill | null) => {
    set(drillParameters(next));
  };
  return (
    <Split
      label={t('drill.label')}
      details={
        drill === null || run.state !== 'done' ? null : (
          <Samples
            run={run}
            drill={drill}
            onClose={() => {
              onDrill(null);
            }}
          />
        )
      }
    >
      <PageBody>
        <div className={classes.room}>
          {run.state === 'done' ? (
            <>
              <Lineage run={run} />
              <View run={run} onDrill={onDrill} />
              <OtherTables run={run} />
            </>
          ) : (
            <RunOutcome run={run} />
          )}
        </div>
      </PageBody>
    </Split>
  );
}

function View({ run, onDrill }: { run: Run; onDrill: (drill: Drill) => void }) {
  switch (run.job) {
    case 'delivery':
      return <DeliveryView run={run} />;
    case 'audit':
      return <AuditView run={run} />;
    case 'paths':
      return <PathsView run={run} />;
    case 'whatif':
      return <WhatIfView run={run} onDrill={onDrill} />;
  }
}
