import { VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { GlossaryPanel } from '@/components/glossary/glossary-panel';
import { useAnnouncer } from '@/hooks/use-announcer';

import classes from './shell.module.css';

type Props = {
  header: ReactNode;
  /** A second row below the header, as long as there is one. */
  bar?: ReactNode;
  /** Whether the pages are those of a sandbox: that is never out of sight. */
  isSandbox?: boolean;
  navigation: ReactNode;
  children: ReactNode;
};

/** The frame of every page: header, navigation, and the place where pages appear. */
export function Shell({ header, bar, isSandbox = false, navigation, children }: Props) {
  const { t } = useTranslation('shell');
  const announcement = useAnnouncer((announcer) => announcer.text);
  return (
    <div className={classes.shell} data-sandbox={isSandbox}>
      <a href="#content" className={classes.skip}>
        {t('skip')}
      </a>
      <header className={classes.header}>{header}</header>
      {bar !== undefined && <div className={classes.toolBar}>{bar}</div>}
      <div className={classes.navigation}>{navigation}</div>
      <main id="content" className={classes.main} tabIndex={-1}>
        {children}
      </main>
      <GlossaryPanel />
      <VisuallyHidden role="status" aria-live="polite">
        {announcement}
      </VisuallyHidden>
    </div>
  );
}
