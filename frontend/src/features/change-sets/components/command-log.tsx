import { useTranslation } from 'react-i18next';

import type { DraftCommand } from '@/contracts/api';
import { useAbsoluteTime } from '@/lib/time';
import { authorText } from '@/topology/object-words';

import classes from './change-sets.module.css';

/** The actions of a draft in their order; what was taken back is struck through. */
export function CommandLog({ commands }: { commands: readonly DraftCommand[] }) {
  const { t } = useTranslation('review');
  const timeText = useAbsoluteTime();
  if (commands.length === 0) {
    return <p className={classes.why}>{t('log.none')}</p>;
  }
  return (
    <ol className={classes.log}>
      {commands.map((command) => (
        <li key={command.sequence} data-undone={command.is_undone}>
          <span className={classes.summary}>{command.summary}</span>
          <span className={classes.place}>
            {t('log.line', {
              author: authorText(command.author),
              at: timeText(Date.parse(command.decided_at)),
              count: command.object_count,
              undone: command.is_undone ? 'yes' : 'no',
            })}
          </span>
        </li>
      ))}
    </ol>
  );
}
