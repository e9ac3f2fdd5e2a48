import type { DraftCommand } from '@/contracts/api';
import { absoluteTime } from '@/lib/time';
import { counted } from '@/topology/words';

import classes from './change-sets.module.css';

/** The actions of a draft in their order; what was taken back is struck through. */
export function CommandLog({ commands }: { commands: readonly DraftCommand[] }) {
  if (commands.length === 0) {
    return <p className={classes.why}>Nothing was done yet.</p>;
  }
  return (
    <ol className={classes.log}>
      {commands.map((command) => (
        <li key={command.sequence} data-undone={command.is_undone}>
          <span className={classes.summary}>{command.summary}</span>
          <span className={classes.place}>
            {command.author ?? 'Nobody'}, {absoluteTime(Date.parse(command.decided_at))}, {counted(command.object_count, 'object')}
            {command.is_undone && ', undone'}
          </span>
        </li>
      ))}
    </ol>
  );
}
