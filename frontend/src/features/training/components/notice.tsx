import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { TrainingNotice } from '@/contracts/api';

import classes from './notice.module.css';

/** Something to know about a run: its number, what happened, why, and what to do. */
export function Notice({ notice }: { notice: TrainingNotice }) {
  return (
    <div role="note" className={classes.notice}>
      <VerdictIcon verdict="delayed" size={18} />
      <div className={classes.text}>
        <strong>{`${notice.number} · ${notice.text}`}</strong>
        {notice.why !== '' && <p>{notice.why}</p>}
        {notice.cure !== '' && <p className={classes.cure}>{notice.cure}</p>}
      </div>
    </div>
  );
}
