import { Button, Menu } from '@mantine/core';
import { IconCheck, IconChevronDown, IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { estatesQuery } from '@/lib/api/estates-list';

/** The estate that is open, and the others. */
export function EstatePicker({ current }: { current: string | null }) {
  const { t } = useTranslation(['shell', 'common']);
  const { data: estates = [] } = useQuery(estatesQuery);
  return (
    <Menu position="bottom-start" shadow="md" width={280}>
      <Menu.Target>
        <Button
          variant="default"
          size="sm"
          rightSection={<IconChevronDown size={14} />}
          aria-label={current === null ? t('estate.choose') : t('estate.picker', { name: current })}
        >
          {current ?? t('estate.choose')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {estates.map((estate) => (
          <Menu.Item
            key={estate.name}
            component={Link}
            to={`/estates/${encodeURIComponent(estate.name)}/topology`}
            rightSection={
              estate.name === current ? (
                <IconCheck size={14} />
              ) : (
                t('common:instances', { count: estate.instances.length })
              )
            }
          >
            {estate.name}
          </Menu.Item>
        ))}
        {estates.length > 0 && <Menu.Divider />}
        <Menu.Item component={Link} to="/import" leftSection={<IconFileImport size={16} />}>
          {t('estate.import')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
