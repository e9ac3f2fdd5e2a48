import { Button, Skeleton } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useContext, useEffect } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useParams } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { useDraftNumber } from '@/hooks/use-draft';
import { EstateContext } from '@/hooks/use-estate-page';
import { useFollowed } from '@/hooks/use-topics';
import { useRememberEstate } from '@/hooks/use-last-estate';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem, type Problem } from '@/lib/errors';
import { liveSession } from '@/lib/live-session';
import { useLiveStore } from '@/lib/live-store';
import { followEstate } from '@/lib/refresh';

import classes from './estate-pages.module.css';

/**
 * The pages of one estate: its live connection stands while one of them is open, and a page shows when the estate is
 * known.
 */
export function EstatePages() {
  const { t } = useTranslation('common');
  const { estate: name = '' } = useParams();
  const topology = useQuery(topologyQuery(name, useDraftNumber()));
  const shown = useContext(EstateContext);
  useLive(name);
  useRememberEstate(name);

  if (shown !== null) {
    return shown.instances.length > 0 ? <Outlet /> : <NoInstance name={name} />;
  }
  if (topology.isError) {
    return <Failure problem={asProblem(topology.error)} onRetry={() => void topology.refetch()} />;
  }
  return <Skeleton height="100%" radius={0} role="progressbar" aria-label={t('loading', { name })} />;
}

function Failure({ problem, onRetry }: { problem: Problem; onRetry: () => void }) {
  const { t } = useTranslation('shell');
  return (
    <div className={classes.failed}>
      {problem.status === 404 ? (
        <EmptyState action={<Link to="/">{t('estate.showAll')}</Link>}>{problem.detail}</EmptyState>
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

function useLive(estate: string): void {
  const queries = useQueryClient();
  useFollowed(estate, ['estate', 'instances']);
  useEffect(() => {
    liveSession.show(estate);
    const follow = followEstate(queries, estate);
    let told: unknown = null;
    return useLiveStore.subscribe(({ live: { progress } }) => {
      if (progress !== null && progress !== told) {
        told = progress;
        follow(progress);
      }
    });
  }, [estate, queries]);
}
