import { ActionIcon, VisuallyHidden } from '@mantine/core';
import { IconMenu2, IconX } from '@tabler/icons-react';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';

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

/**
 * The frame of every page: header, navigation, and the place where pages appear. On a narrow screen, or a page that is
 * enlarged, the navigation is a menu that covers the page until another one is chosen.
 */
export function Shell({ header, bar, isSandbox = false, navigation, children }: Props) {
  const { t } = useTranslation('shell');
  const announcement = useAnnouncer((announcer) => announcer.text);
  const { key: page } = useLocation();
  const [menuPage, setMenuPage] = useState<string | null>(null);
  const isMenuOpen = menuPage === page;
  return (
    <div className={classes.shell} data-sandbox={isSandbox}>
      <a href="#content" className={classes.skip}>
        {t('skip')}
      </a>
      <header className={classes.header}>
        <ActionIcon
          className={classes.menu ?? ''}
          variant="subtle"
          size="lg"
          aria-label={t('menu')}
          aria-expanded={isMenuOpen}
          aria-controls="navigation"
          onClick={() => {
            setMenuPage(isMenuOpen ? null : page);
          }}
        >
          {isMenuOpen ? <IconX size={20} /> : <IconMenu2 size={20} />}
        </ActionIcon>
        {header}
      </header>
      {bar !== undefined && <div className={classes.toolBar}>{bar}</div>}
      <div id="navigation" className={classes.navigation} data-open={isMenuOpen}>
        {navigation}
      </div>
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
