import { Button, Menu } from '@mantine/core';
import { IconCheck, IconChevronDown, IconFileImport } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';

import { estatesQuery } from '@/lib/api/estates-list';
import { counted } from '@/topology/words';

/** The estate that is open, and the others. */
export function EstatePicker({ current }: { current: string | null }) {
  const { data: estates = [] } = useQuery(estatesQuery);
  return (
    <Menu position="bottom-start" shadow="md" width={280}>
      <Menu.Target>
        <Button variant="default" size="sm" rightSection={<IconChevronDown size={14} />} aria-label={`Estate ${current ?? 'none'}`}>
          {current ?? 'Choose an estate'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {estates.map((estate) => (
          <Menu.Item
            key={estate.name}
            component={Link}
            to={`/estates/${encodeURIComponent(estate.name)}/topology`}
            rightSection={estate.name === current ? <IconCheck size={14} /> : counted(estate.instances.length, 'instance')}
          >
            {estate.name}
          </Menu.Item>
        ))}
        {estates.length > 0 && <Menu.Divider />}
        <Menu.Item component={Link} to="/import" leftSection={<IconFileImport size={16} />}>
          Import T-SQL
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
