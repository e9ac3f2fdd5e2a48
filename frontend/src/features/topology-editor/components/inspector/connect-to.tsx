import { Menu } from '@mantine/core';
import { IconPlugConnected } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import type { DatabasePath } from '@/topology/selection';
import { addressSuggestions } from '@/topology/suggestions';

type Props = { estate: Estate; from: DatabasePath; onChoose: (address: string) => void };

/** A route by click rather than by drag: choose the instance that it shall lead to, the form knows its address. */
export function ConnectTo({ estate, from, onChoose }: Props) {
  const { t } = useTranslation('objects');
  const missing = useMissingRight('edit');
  const others = addressSuggestions(estate, false).filter(({ note }) => note !== from.instance);
  const button = (
    <GuardedButton
      barred={missing ?? (others.length === 0 ? t('connectNowhere') : null)}
      variant="default"
      leftSection={<IconPlugConnected size={14} />}
    >
      {t('connect')}
    </GuardedButton>
  );
  if (missing !== null || others.length === 0) {
    return button;
  }
  return (
    <Menu position="top-start" shadow="md">
      <Menu.Target>{button}</Menu.Target>
      <Menu.Dropdown>
        {others.map(({ value, note }) => (
          <Menu.Item
            key={value}
            onClick={() => {
              onChoose(value);
            }}
          >
            {note}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
