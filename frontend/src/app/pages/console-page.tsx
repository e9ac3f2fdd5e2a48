import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { LiveDrawer } from '@/app/shell/live-drawer';
import { ConsolePanel } from '@/features/console/components/console-panel';

import classes from './console-page.module.css';

/** Dialogs by hand, with the live tables below to see what becomes of them. */
export default function ConsolePage() {
  const { t } = useTranslation('shell');
  return (
    <div className={classes.page}>
      <VisuallyHidden component="h1">{t('navigation.console')}</VisuallyHidden>
      <div className={classes.console}>
        <ConsolePanel />
      </div>
      <LiveDrawer />
    </div>
  );
}
