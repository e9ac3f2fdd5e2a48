import { UnstyledButton } from '@mantine/core';
import {
  IconActivityHeartbeat,
  IconBolt,
  IconChartSankey,
  IconChecklist,
  IconFileExport,
  IconFileImport,
  IconGitPullRequestDraft,
  IconHeartRateMonitor,
  IconHistory,
  IconListCheck,
  IconRouteAltLeft,
  IconSchool,
  IconSitemap,
  IconSql,
  IconTable,
  IconTerminal2,
  IconTransfer,
  IconVocabulary,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { useTranslation } from 'react-i18next';
import { NavLink } from 'react-router';

import { openGlossary } from '@/hooks/use-glossary';
import { usePerson } from '@/hooks/use-rights';
import { useLastQuestion } from '@/lib/what-if-memory';
import { estateAddress } from '@/topology/sandbox';
import { whatIfAddress } from '@/topology/what-if-address';

import classes from './shell.module.css';

type Place = { to: string; word: string; sign: ComponentType<{ size: number; stroke: number }>; isExact?: boolean };

/** Ways to go, and what words mean, which is at the same place on every page. */
function Places({ label, places }: { label: string; places: readonly Place[] }) {
  return (
    <>
      <nav className={classes.nav} aria-label={label}>
        {places.map(({ to, word, sign: Sign, isExact = false }) => (
          <NavLink key={to} to={to} end={isExact} className={classes.link ?? ''}>
            <Sign size={21} stroke={1.7} />
            {word}
          </NavLink>
        ))}
      </nav>
      <GlossaryButton />
    </>
  );
}

/** The screens of a sandbox; without an `estate`, which is gone at the end of the run, what is left of it. */
export function SandboxNavigation({ run, estate, isOwn }: { run: string; estate: string | null; isOwn: boolean }) {
  const { t } = useTranslation('shell');
  const whatIf = useWhatIf(estate, null);
  const base = estate === null ? null : estateAddress(estate);
  const places: Place[] = [
    { to: `/training/${run}`, word: t('navigation.exercise'), sign: IconSchool, isExact: true },
    ...(base === null
      ? []
      : [
          { to: `${base}/topology`, word: t('navigation.topology'), sign: IconSitemap },
          { to: `${base}/live`, word: t('navigation.live'), sign: IconActivityHeartbeat },
          { to: whatIf, word: t('navigation.whatIf'), sign: IconRouteAltLeft },
          // Whoever looks into the run of somebody else types nothing there.
          ...(isOwn ? [{ to: `${base}/sql`, word: t('navigation.sql'), sign: IconSql }] : []),
        ]),
  ];
  return <Places label={t('navigation.sandbox')} places={places} />;
}

/** The same place on every page: what words mean. */
function GlossaryButton() {
  const { t } = useTranslation('glossary');
  return (
    <UnstyledButton
      className={classes.help}
      aria-haspopup="dialog"
      onClick={() => {
        openGlossary();
      }}
    >
      <IconVocabulary size={21} stroke={1.7} />
      {t('open')}
    </UnstyledButton>
  );
}

/** What was asked last of the estate, of what is on view now; nothing as long as nothing was asked. */
function useWhatIf(estate: string | null, draft: number | null): string {
  const question = useLastQuestion(estate);
  if (question !== null) {
    return whatIfAddress(estate ?? '', question, { draft });
  }
  return `/estates/${encodeURIComponent(estate ?? '')}/whatif${draft === null ? '' : `?draft=${draft}`}`;
}

/** Where one can go from here; what needs an estate is there only when one is open. */
export function Navigation({ estate, draft = null }: { estate: string | null; draft?: number | null }) {
  const { t } = useTranslation('shell');
  const base = estate === null ? null : `/estates/${encodeURIComponent(estate)}`;
  const whatIf = useWhatIf(estate, draft);
  const { rights } = usePerson();
  const places = [
    ...(base === null
      ? []
      : [
          { to: `${base}/overview`, word: t('navigation.overview'), sign: IconHeartRateMonitor },
          {
            to: `${base}/topology${draft === null ? '' : `?draft=${draft}`}`,
            word: t('navigation.topology'),
            sign: IconSitemap,
          },
          {
            to: `${base}/objects${draft === null ? '' : `?draft=${draft}`}`,
            word: t('navigation.objects'),
            sign: IconTable,
          },
          { to: whatIf, word: t('navigation.whatIf'), sign: IconRouteAltLeft },
          {
            to: `${base}/faults${draft === null ? '' : `?draft=${draft}`}`,
            word: t('navigation.faults'),
            sign: IconBolt,
          },
          { to: `${base}/assertions`, word: t('navigation.assertions'), sign: IconChecklist },
          { to: `${base}/changes`, word: t('navigation.changes'), sign: IconGitPullRequestDraft },
          { to: `${base}/console`, word: t('navigation.console'), sign: IconTerminal2 },
          ...(rights.includes('operate') ? [{ to: `${base}/sql`, word: t('navigation.sql'), sign: IconSql }] : []),
          { to: `${base}/live`, word: t('navigation.live'), sign: IconActivityHeartbeat },
          { to: `${base}/traffic`, word: t('navigation.traffic'), sign: IconTransfer },
          {
            to: `${base}/findings${draft === null ? '' : `?draft=${draft}`}`,
            word: t('navigation.findings'),
            sign: IconListCheck,
          },
          { to: `${base}/analytics`, word: t('navigation.analytics'), sign: IconChartSankey },
          { to: `${base}/audit`, word: t('navigation.audit'), sign: IconHistory },
          { to: `${base}/export`, word: t('navigation.export'), sign: IconFileExport },
        ]),
    { to: '/import', word: t('navigation.import'), sign: IconFileImport },
    { to: '/training', word: t('navigation.training'), sign: IconSchool },
  ];
  return <Places label={t('navigation.label')} places={places} />;
}
