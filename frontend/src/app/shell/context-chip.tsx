import { Tooltip } from '@mantine/core';

import { Badge } from '@/components/ui/badge';
import type { Estate } from '@/contracts/api';
import type { Liveness } from '@/live/liveness';
import { isBehind } from '@/topology/lookup';

import classes from './context-chip.module.css';

/** What one looks at: the running estate and its revision, who has not caught up with it, or that nobody answers. */
export function ContextChip({ estate, liveness }: { estate: Estate; liveness: Liveness }) {
  if (liveness === 'offline' || liveness === 'refused') {
    return (
      <span role="status" className={classes.asSeen}>
        {liveness === 'offline' ? 'The server does not answer.' : 'The server sends no live values.'} This is revision {estate.revision} as it was last seen.
      </span>
    );
  }
  const behind = estate.instances.filter(isBehind);
  const failed = behind.filter((instance) => instance.apply_error !== '');
  const [first] = behind;
  if (first === undefined) {
    return (
      <Tooltip label="Every instance has applied this revision.">
        <span>
          <Badge>Live · revision {estate.revision}</Badge>
        </span>
      </Tooltip>
    );
  }
  const others = behind.length > 1 ? ` and ${behind.length - 1} more` : '';
  const reasons = failed.map((instance) => `${instance.name}: ${instance.apply_error}`).join('\n');
  return (
    <Tooltip label={reasons === '' ? 'The change is on its way.' : reasons} multiline maw={420}>
      <span role="status">
        <Badge verdict={failed.length > 0 ? 'error' : 'delayed'}>
          Live · {first.desired_revision} wanted, {first.applied_revision} applied on {first.name}
          {others}
        </Badge>
      </span>
    </Tooltip>
  );
}
