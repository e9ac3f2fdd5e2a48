import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { useMatch } from 'react-router';

import type { Estate } from '@/contracts/api';
import { useDraftNumber } from '@/hooks/use-draft';
import { EstateContext } from '@/hooks/use-estate-page';
import { useLastEstate } from '@/hooks/use-last-estate';
import { estatesQuery } from '@/lib/api/estates-list';
import { isSandbox, runOf } from '@/topology/sandbox';

import { Brand } from './brand';
import { ConnectionBadge, useLiveness } from './connection-badge';
import { ContextChip } from './context-chip';
import { DraftBar } from './draft-bar';
import { EstatePicker } from './estate-picker';
import { LanguageSwitch } from './language-switch';
import { Navigation } from './navigation';
import { PageOutlet } from './page-outlet';
import { SandboxFrame } from './sandbox-frame';
import { Shell } from './shell';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch';
import { useShownEstate } from './use-shown-estate';
import { UserMenu } from './user-menu';

/** The frame of every page: that of estates, or, for a run and the screens of its sandbox, one that says so. */
export function Frame() {
  const name = useMatch('/estates/:estate/*')?.params.estate ?? null;
  const played = useMatch('/training/:run')?.params.run ?? null;
  const run = name !== null && isSandbox(name) ? (runOf(name) ?? '') : played;
  return run === null ? <EstateFrame name={name} /> : <SandboxFrame key={run} run={run} estate={name} />;
}

/**
 * It stays while pages come and go, with an estate or without, so that nothing that is open in the header is lost when
 * the first page leads on to an estate.
 */
function EstateFrame({ name }: { name: string | null }) {
  const draft = useDraftNumber();
  const estate = useShownEstate(name, draft);
  const nearest = useNearestEstate(name);
  return (
    <EstateContext value={estate}>
      <Shell
        navigation={<Navigation estate={nearest} draft={name === null ? null : draft} />}
        header={
          <>
            <Brand />
            <span className={classes.divider} />
            <EstatePicker current={nearest} />
            {estate !== null && <Standing estate={estate} />}
            <span className={classes.spring} />
            {name !== null && <Connection estate={estate} />}
            <LanguageSwitch />
            <ThemeSwitch />
            <UserMenu />
          </>
        }
      >
        <PageOutlet />
      </Shell>
    </EstateContext>
  );
}

/**
 * The estate that is open; on a page without one the last that was, or the first there is: where the navigation leads.
 */
function useNearestEstate(open: string | null): string | null {
  const last = useLastEstate();
  const { data: estates = [] } = useQuery(estatesQuery);
  return open ?? estates.find((estate) => estate.name === last)?.name ?? estates[0]?.name ?? null;
}

const noNames: readonly string[] = [];

function useInstanceNames(estate: Estate | null): readonly string[] {
  return useMemo(() => estate?.instances.map((instance) => instance.name) ?? noNames, [estate]);
}

/** What one looks at: the running estate, or a draft of it. */
function Standing({ estate }: { estate: Estate }) {
  const liveness = useLiveness(useInstanceNames(estate));
  return estate.change_set === null ? (
    <ContextChip estate={estate} liveness={liveness} />
  ) : (
    <DraftBar estate={estate} draft={estate.change_set} />
  );
}

function Connection({ estate }: { estate: Estate | null }) {
  return <ConnectionBadge instances={useInstanceNames(estate)} />;
}
