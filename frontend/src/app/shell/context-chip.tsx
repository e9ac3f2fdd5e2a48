import { Tooltip } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import type { Estate } from '@/contracts/api';
import type { Liveness } from '@/live/liveness';
import { isBehind } from '@/topology/lookup';

import classes from './context-chip.module.css';

/** What one looks at: the running estate and its revision, who has not caught up with it, or that nobody answers. */
export function ContextChip({ estate, liveness }: { estate: Estate; liveness: Liveness }) {
  const { t } = useTranslation('shell');
  if (liveness === 'offline' || liveness === 'refused') {
    return (
      <span role="status" className={classes.asSeen}>
        {t(`context.${liveness}`, { revision: estate.revision })}
      </span>
    );
  }
  const behind = estate.instances.filter(isBehind);
  const failed = behind.filter((instance) => instance.apply_error !== '');
  const [first] = behind;
  if (first === undefined) {
    return (
      <Tooltip label={t('context.applied')}>
        <span>
          <Badge>{t('context.live', { revision: estate.revision })}</Badge>
        </span>
      </Tooltip>
    );
  }
  const reasons = failed.map((instance) => `${instance.name}: ${instance.apply_error}`).join('\n');
  return (
    <Tooltip label={reasons === '' ? t('context.onItsWay') : reasons} multiline maw={420}>
      <span role="status">
        <Badge verdict={failed.length > 0 ? 'error' : 'delayed'}>
          {t('context.behind', {
            desired: first.desired_revision,
            applied: first.applied_revision,
            name: first.name,
            others: behind.length - 1,
          })}
        </Badge>
      </span>
    </Tooltip>
  );
}
