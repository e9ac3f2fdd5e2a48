import { Button } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import type { Problem } from '@/lib/errors';

import classes from './conflict-notice.module.css';

/** Somebody was quicker. What was typed stays; saving again then builds on what they did. */
export function ConflictNotice({ problem, onReload }: { problem: Problem; onReload: () => void }) {
  const { t } = useTranslation('components');
  return (
    <div role="alert" className={classes.notice}>
      <strong>{problem.detail}</strong>
      <p>{[problem.why, problem.cure].filter((line) => line !== '').join(' ')}</p>
      <Button size="compact-sm" variant="default" onClick={onReload}>
        {t('conflictReload')}
      </Button>
    </div>
  );
}
