import { IconArrowLeft, IconFlask } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Badge } from '@/components/ui/badge';
import type { TrainingSession } from '@/contracts/api';
import { RunBar } from '@/features/training/components/run-bar';
import { useRun } from '@/features/training/use-run';
import { EstateContext } from '@/hooks/use-estate-page';
import { SandboxContext, SandboxTimeContext } from '@/hooks/use-sandbox';

import { Brand } from './brand';
import { ConnectionBadge } from './connection-badge';
import { LanguageSwitch } from './language-switch';
import { SandboxNavigation } from './navigation';
import { PageOutlet } from './page-outlet';
import classes from './sandbox-frame.module.css';
import { Shell } from './shell';
import shell from './shell.module.css';
import { ThemeSwitch } from './theme-switch';
import { useShownEstate } from './use-shown-estate';
import { UserMenu } from './user-menu';

type Props = {
  run: string;
  /** The sandbox that is open; null on the page of the run. */
  estate: string | null;
};

const noNames: readonly string[] = [];

/** The frame of a run and of the screens of its sandbox: which it is, its clock, and the way back, on each of them. */
export function SandboxFrame({ run, estate: open }: Props) {
  const work = useRun(run);
  const session = work.run.data;
  // What has ended has no sandbox, whatever the address says.
  const name = session === undefined ? open : session.estate;
  const estate = useShownEstate(name, null);
  const isOwn = session?.is_own ?? false;
  const isExam = session === undefined || session.run.mode === 'exam';
  const shown = session?.clock?.utc;
  const time = shown === undefined ? null : Date.parse(shown);
  const room = useMemo(() => ({ run, estate: name, isOwn, isExam }), [run, name, isOwn, isExam]);
  return (
    <SandboxContext value={room}>
      <EstateContext value={estate}>
        <SandboxTimeContext value={time}>
          <Shell
            isSandbox
            navigation={<SandboxNavigation run={run} estate={name} isOwn={isOwn} />}
            header={
              <>
                <Brand />
                <span className={shell.divider} />
                <Identity run={run} session={session} isPlayer={open === null} />
                <span className={shell.spring} />
                {estate !== null && <Connection names={estate.instances.map((instance) => instance.name)} />}
                <LanguageSwitch />
                <ThemeSwitch />
                <UserMenu />
              </>
            }
            {...(session === undefined ? {} : { bar: <RunBar session={session} work={work} /> })}
          >
            <PageOutlet />
          </Shell>
        </SandboxTimeContext>
      </EstateContext>
    </SandboxContext>
  );
}

type IdentityProps = { run: string; session: TrainingSession | undefined; isPlayer: boolean };

/** That this is a sandbox, of which exercise, whose, and the way back. */
function Identity({ run, session, isPlayer }: IdentityProps) {
  const { t } = useTranslation('training');
  return (
    <div className={classes.identity}>
      <span className={classes.chip} title={t('sandbox.about')}>
        <IconFlask size={15} aria-hidden />
        {t('sandbox.chip')}
      </span>
      {session !== undefined && (
        <>
          {!isPlayer && <strong className={classes.title}>{session.title}</strong>}
          <Badge>{t(`mode.${session.run.mode}`)}</Badge>
          {!session.is_own && <Badge verdict="forwarded">{t('sandbox.of', { name: session.trainee })}</Badge>}
        </>
      )}
      {isPlayer ? (
        <Link to="/training" className={classes.back}>
          <IconArrowLeft size={15} aria-hidden />
          {t('sandbox.all')}
        </Link>
      ) : (
        session !== undefined && (
          <Link to={`/training/${run}`} className={classes.back}>
            <IconArrowLeft size={15} aria-hidden />
            {t('sandbox.back')}
          </Link>
        )
      )}
    </div>
  );
}

function Connection({ names }: { names: readonly string[] }) {
  return <ConnectionBadge instances={names.length === 0 ? noNames : names} />;
}
