import { Popover, UnstyledButton } from '@mantine/core';
import { IconLink, IconUnlink } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { CopyText } from '@/components/ui/copy-text';

import { auditChainQuery } from '../api/audit-chain-read';
import classes from './audit.module.css';

/**
 * Whether the log is as it was written, and where it is not: each decision carries a hash of itself and of all before
 * it.
 */
export function ChainLine({ estate }: { estate: string }) {
  const { t } = useTranslation('chain');
  const { data, isError } = useQuery(auditChainQuery(estate));
  if (data === undefined) {
    return <span className={classes.place}>{isError ? t('unknown') : t('checking')}</span>;
  }
  const [first] = data.breaks;
  const Sign = data.is_whole ? IconLink : IconUnlink;
  return (
    <Popover width={420} position="bottom-start" withArrow trapFocus>
      <Popover.Target>
        <UnstyledButton className={classes.chain} data-whole={data.is_whole}>
          <Sign size={15} aria-hidden />
          {first === undefined ? t('whole', { count: data.decision_count }) : t('broken', { sequence: first.sequence })}
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <p className={classes.words}>{t('explanation')}</p>
        {data.breaks.length > 0 && (
          <ul className={classes.breaks}>
            {data.breaks.map(({ sequence, reason }) => (
              <li key={`${sequence} ${reason}`}>{t('breakAt', { sequence, reason })}</li>
            ))}
          </ul>
        )}
        {data.head !== '' && (
          <p className={classes.words}>
            {t('head', { sequence: data.last_sequence })} <CopyText value={data.head} what="hash" />
          </p>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
