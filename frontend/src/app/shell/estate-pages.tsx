import { Button, Skeleton } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Navigate, Outlet, useLocation, useParams } from 'react-router';

import { Restoring } from '@/components/sandbox/restoring';
import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useDraftNumber } from '@/hooks/use-draft';
import { EstateContext } from '@/hooks/use-estate-page';
import { useRememberEstate } from '@/hooks/use-last-estate';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem, type Problem } from '@/lib/errors';
import { restoredPercent } from '@/lib/restoring';
import { estateAddress, isSandbox } from '@/topology/sandbox';

import classes from './estate-pages.module.css';
import { useLiveEstate } from './use-live-estate';

/** What a sandbox has of the pages of an estate. */
const sandboxPages = new Set(['topology', 'live', 'whatif', 'sql']);

/**
 * The pages of one estate: its live connection stands while one of them is open, and a page shows when the estate is
 * known.
 */
export function EstatePages() {
  const { t } = useTranslation('common');
  const { estate: name = '' } = useParams();
  const topology = useQuery(topologyQuery(name, useDraftNumber()));
  const shown = useContext(EstateContext);
  const isPrivate = isSandbox(name);
  const page = usePageName();
  useLiveEstate(name);
  useRememberEstate(isPrivate ? null : name);

  if (isPrivate && !sandboxPages.has(page)) {
    return <Navigate to={`${estateAddress(name)}/topology`} replace />;
  }
  if (shown !== null) {
    return shown.instances.length > 0 ? <Outlet /> : <NoInstance name={name} />;
  }
  if (topology.isError) {
    return (
      <Failure isPrivate={isPrivate} problem={asProblem(topology.error)} onRetry={() => void topology.refetch()} />
    );
  }
  const percent = restoredPercent(topology.failureReason);
  if (percent !== null) {
    return (
      <div className={classes.restoring}>
        <Restoring percent={percent} />
      </div>
    );
  }
  return <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('loading', { name })} />;
}

/** The page of the estate that is open: `topology`; empty for none. */
function usePageName(): string {
  const [, , , page = ''] = useLocation().pathname.split('/');
  return page;
}

type FailureProps = { isPrivate: boolean; problem: Problem; onRetry: () => void };

function Failure({ isPrivate, problem, onRetry }: FailureProps) {
  const { t } = useTranslation(['shell', 'training']);
  return (
    <div className={classes.failed}>
      {problem.status === 404 ? (
        <EmptyState
          action={
            isPrivate ? (
              <Link to="/training">{t('training:report.back')}</Link>
            ) : (
              <Link to="/">{t('estate.showAll')}</Link>
            )
          }
        >
          {isPrivate ? t('training:sandbox.notThere') : problem.detail}
        </EmptyState>
      ) : (
        <ProblemPanel problem={problem} onRetry={onRetry} />
      )}
    </div>
  );
}

/** An estate without instances has nothing to draw, to send from or to watch; only an import brings one. */
function NoInstance({ name }: { name: string }) {
  const { t } = useTranslation('shell');
  return (
    <EmptyState
      action={
        <Button component={Link} to="/import" size="sm" leftSection={<IconFileImport size={17} />}>
          {t('estate.import')}
        </Button>
      }
    >
      {t('estate.noInstance', { name })}
    </EmptyState>
  );
}
