import { Progress } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import classes from './restoring.module.css';

/** That the simulation is made anew from its log, and how far that is; it is asked for again by itself. */
export function Restoring({ percent }: { percent: number }) {
  const { t } = useTranslation('training');
  return (
    <div className={classes.restoring}>
      <span role="status">{t('restoring', { percent })}</span>
      <Progress value={percent} size="sm" aria-label={t('restoringLabel')} />
    </div>
  );
}
