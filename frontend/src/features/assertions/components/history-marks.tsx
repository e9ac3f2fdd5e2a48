import { VisuallyHidden } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Hint } from '@/components/ui/hint';
import type { PastVerdict } from '@/contracts/api';
import { useAbsoluteTime } from '@/lib/time';

import classes from './assertions.module.css';

/** How an assertion fared, one mark a run, the newest at the right; in words for those who do not see them. */
export function HistoryMarks({ history }: { history: readonly PastVerdict[] }) {
  const { t } = useTranslation('assertions');
  const timeText = useAbsoluteTime();
  if (history.length === 0) {
    return <span className={classes.quiet}>{t('history.none')}</span>;
  }
  const words = history.map(({ passed, at, revision }) =>
    t('history.one', { outcome: passed ? 'passed' : 'failed', revision, when: timeText(Date.parse(at)) }),
  );
  return (
    <Hint label={words.join('\n')} isStop>
      <span className={classes.marks}>
        <VisuallyHidden>{words.join('; ')}</VisuallyHidden>
        {history.toReversed().map(({ passed, at }) => (
          <span key={at} aria-hidden className={classes.mark} data-passed={passed} />
        ))}
      </span>
    </Hint>
  );
}
