import { Button, Menu } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import {
  IconChevronDown,
  IconClock,
  IconHome,
  IconLogout,
  IconUser,
  IconUserCog,
  IconUsers,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { TourMenuItem } from '@/features/import/components/tour-button';
import { usePerson } from '@/hooks/use-rights';
import { logOut } from '@/lib/api/log-out';
import { useTimeZone, zoneName } from '@/lib/time';

import { TimeZoneDialog } from './time-zone-dialog';

/** Who one is here, with which role, and the way out. */
export function UserMenu() {
  const { t } = useTranslation('shell');
  const { t: words } = useTranslation('account');
  const { username, role, rights } = usePerson();
  const zone = useTimeZone((store) => store.chosen);
  const [isChoosing, { open, close }] = useDisclosure(false);
  const leave = useMutation({
    mutationFn: logOut,
    onSuccess: () => {
      window.location.assign('/login');
    },
  });
  return (
    <>
      <TimeZoneDialog opened={isChoosing} onClose={close} />
      <Menu position="bottom-end" shadow="md" width={270}>
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
          <Menu.Label>{t('user.role', { role })}</Menu.Label>
          <Menu.Item component={Link} to="/account" leftSection={<IconUserCog size={16} />}>
            {words('menu.account')}
          </Menu.Item>
          <Menu.Item leftSection={<IconClock size={16} />} onClick={open}>
            {words('menu.zone', { zone: zoneName(zone) })}
          </Menu.Item>
          {rights.includes('administer') && (
            <Menu.Item component={Link} to="/administration" leftSection={<IconUsers size={16} />}>
              {words('menu.administration')}
            </Menu.Item>
          )}
          <Menu.Divider />
          <Menu.Item component={Link} to="/start" leftSection={<IconHome size={16} />}>
            {words('menu.start')}
          </Menu.Item>
          <TourMenuItem />
          <Menu.Divider />
          <Menu.Item
            leftSection={<IconLogout size={16} />}
            onClick={() => {
              leave.mutate();
            }}
          >
            {t('user.logOut')}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
