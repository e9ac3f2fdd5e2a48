import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Group, Panel, Separator, useDefaultLayout } from 'react-resizable-panels';

import classes from './split.module.css';

/** Two parts above one another with a bar between them that is drawn by mouse, finger or arrow keys. */
export function Split({ above, below }: { above: ReactNode; below: ReactNode }) {
  const { t } = useTranslation('sql');
  const kept = useDefaultLayout({ id: 'brokerweb.sql-split' });
  return (
    <Group orientation="vertical" className={classes.split} {...kept}>
      <Panel id="script" defaultSize="42%" minSize="15%" className={classes.part}>
        {above}
      </Panel>
      <Separator className={classes.bar} aria-label={t('split')} />
      <Panel id="answers" minSize="15%" className={classes.part}>
        {below}
      </Panel>
    </Group>
  );
}
