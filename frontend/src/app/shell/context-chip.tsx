import { Tooltip } from '@mantine/core';

import { Badge } from '@/components/ui/badge';
import type { Estate } from '@/contracts/api';
import { isBehind } from '@/topology/lookup';

/** What one looks at: the running estate and its revision, and who has not caught up with it. */
export function ContextChip({ estate }: { estate: Estate }) {
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
