import { Button } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';

import type { LiveList } from './use-live-list';

type Props = {
  list: LiveList;
  isFiltered: boolean;
  onClear: () => void;
  /** Of a view that is known and has nothing: what that means, and what to do. */
  children: ReactNode;
};

/** No rows: because nothing is known, nobody may tell, nothing matches, or there is nothing. Four sentences. */
export function Empty({ list, isFiltered, onClear, children }: Props) {
  const { t } = useTranslation('views');
  const denied = list.sources.find(({ state }) => state === 'not-allowed' || state === 'refused');
  const isTold = list.sources.some(
    ({ state }) => state === 'known' || state === 'not-connected' || state === 'offline',
  );
  const silent = list.sources.filter(({ state }) => state === 'unknown' || state === 'waiting');
  if (denied !== undefined && !isTold) {
    return (
      <EmptyState>
        {t(`source.${denied.state}.meaning`, {
          name: denied.instance,
          reason: denied.reason,
          number: denied.number ?? 0,
        })}
      </EmptyState>
    );
  }
  if (!isTold) {
    return (
      <EmptyState>
        {list.isKnown
          ? t('empty.silent', { names: silent.map(({ instance }) => instance).join(', ') })
          : t('empty.unknown')}
      </EmptyState>
    );
  }
  if (isFiltered) {
    return (
      <EmptyState
        action={
          <Button variant="default" size="xs" onClick={onClear}>
            {t('filter.clear')}
          </Button>
        }
      >
        {t('empty.filtered')}
      </EmptyState>
    );
  }
  if (silent.length > 0) {
    return <EmptyState>{t('empty.partly', { names: silent.map(({ instance }) => instance).join(', ') })}</EmptyState>;
  }
  return <>{children}</>;
}
