import { VisuallyHidden } from '@mantine/core';

import { LiveDrawer } from '@/app/shell/live-drawer';
import { ConsolePanel } from '@/features/console/components/console-panel';

import classes from './console-page.module.css';

/** Dialogs by hand, with the live tables below to see what becomes of them. */
export default function ConsolePage() {
  return (
    <div className={classes.page}>
      <VisuallyHidden component="h1">Console</VisuallyHidden>
      <div className={classes.console}>
        <ConsolePanel />
      </div>
      <LiveDrawer />
    </div>
  );
}
