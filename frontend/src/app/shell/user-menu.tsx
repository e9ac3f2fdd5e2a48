import { Button, Menu } from '@mantine/core';
import { IconChevronDown, IconLogout, IconUser } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';

import { usePerson } from '@/hooks/use-rights';
import { logOut } from '@/lib/api/log-out';

/** Who one is here, with which role, and the way out. */
export function UserMenu() {
  const { username, role } = usePerson();
  const leave = useMutation({
    mutationFn: logOut,
    onSuccess: () => {
      window.location.assign('/login');
    },
  });
  return (
    <Menu position="bottom-end" shadow="md" width={220}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          size="sm"
          px={8}
          leftSection={<IconUser size={18} stroke={1.7} />}
          rightSection={<IconChevronDown size={14} />}
        >
          {username}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Role: {role}</Menu.Label>
        <Menu.Item
          leftSection={<IconLogout size={16} />}
          onClick={() => {
            leave.mutate();
          }}
        >
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
