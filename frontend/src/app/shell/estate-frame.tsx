import { Button, Skeleton } from '@mantine/core';
import { IconFileImport } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, Outlet, useParams } from 'react-router';

import { EmptyState } from '@/components/ui/empty-state';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { Estate } from '@/contracts/api';
import { EstateContext } from '@/hooks/use-estate-page';
import { useDraftNumber } from '@/hooks/use-draft';
import { useRememberEstate } from '@/hooks/use-last-estate';
import { topologyQuery } from '@/lib/api/topology-read';
import { asProblem, type Problem } from '@/lib/errors';
import { changedRoles, withRoles } from '@/lib/live-roles';
import { startLiveSession } from '@/lib/live-session';
import { useLiveStore } from '@/lib/live-store';
import { usePendingStore } from '@/lib/pending-store';
import { refreshEstate } from '@/lib/refresh';
import { applyChanges } from '@/topology/apply-changes';

import { Brand } from './brand';
import { ConnectionBadge, useLiveness } from './connection-badge';
import { ContextChip } from './context-chip';
import { DraftBar } from './draft-bar';
import { EstatePicker } from './estate-picker';
import classes from './estate-frame.module.css';
import { LanguageSwitch } from './language-switch';
import { Navigation } from './navigation';
import { Shell } from './shell';
import shellClasses from './shell.module.css';
import { ThemeSwitch } from './theme-switch';
import { UserMenu } from './user-menu';

/** Everything within one estate: its topology, its live connection, and the pages over them. */
export function EstateFrame() {
  const { t } = useTranslation('common');
  const { estate: name = '' } = useParams();
  const draft = useDraftNumber();
  const topology = useQuery(topologyQuery(name, draft));
  const shown = useWithRoles(useWithPending(topology.data));
  useLive(name);
  useRememberEstate(name);

  return (
    <Shell navigation={<Navigation estate={name} draft={draft} />} header={<FrameHeader name={name} estate={shown} />}>
      {shown !== null ? (
        <EstateContext value={shown}>{shown.instances.length > 0 ? <Outlet /> : <NoInstance name={name} />}</EstateContext>
      ) : topology.isError ? (
        <Failure problem={asProblem(topology.error)} onRetry={() => void topology.refetch()} />
      ) : (
        <Skeleton height="100%" radius={0} aria-label={t('loading', { name })} />
      )}
    </Shell>
  );
}

function FrameHeader({ name, estate }: { name: string; estate: Estate | null }) {
  const instances = useMemo(() => estate?.instances.map((instance) => instance.name) ?? [], [estate]);
  const liveness = useLiveness(instances);
  return (
    <>
      <Brand />
      <span className={shellClasses.divider} />
      <EstatePicker current={name} />
      {estate !== null && (estate.change_set === null ? <ContextChip estate={estate} liveness={liveness} /> : <DraftBar estate={estate} draft={estate.change_set} />)}
      <span className={shellClasses.spring} />
      <ConnectionBadge instances={instances} />
      <LanguageSwitch />
      <ThemeSwitch />
      <UserMenu />
    </>
  );
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

/** The estate with the edits that are on their way laid over it. */
function useWithPending(estate: Estate | undefined): Estate | null {
  const pending = usePendingStore((store) => (estate === undefined ? undefined : store.pending[estate.name]));
  return useMemo(
    () => (estate === undefined ? null : applyChanges(estate, (pending ?? []).map(({ change }) => change))),
    [estate, pending],
  );
}

/** Mirrored databases in the roles that they have now: a failover is no change of the topology. */
function useWithRoles(estate: Estate | null): Estate | null {
  const roles = useLiveStore((store) => (estate === null ? '' : changedRoles(estate, store.live.instances)));
  return useMemo(() => (estate === null ? null : withRoles(estate, roles)), [estate, roles]);
}

function useLive(estate: string): void {
  const queries = useQueryClient();
  useEffect(() => {
    const session = startLiveSession(estate, () => {
      void refreshEstate(queries, estate);
    });
    return session.stop;
  }, [estate, queries]);
}
