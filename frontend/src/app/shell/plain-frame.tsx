import { useQuery } from '@tanstack/react-query';
import { Outlet } from 'react-router';

import { useLastEstate } from '@/hooks/use-last-estate';
import { estatesQuery } from '@/lib/api/estates-list';

import { Brand } from './brand';
import { EstatePicker } from './estate-picker';
import { LanguageSwitch } from './language-switch';
import { Navigation } from './navigation';
import { Shell } from './shell';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch';
import { UserMenu } from './user-menu';

/** The frame of pages that belong to no estate. */
export function PlainFrame() {
  const last = useLastEstate();
  const { data: estates = [] } = useQuery(estatesQuery);
  const open = estates.find((estate) => estate.name === last)?.name ?? estates[0]?.name ?? null;
  return (
    <Shell
      navigation={<Navigation estate={open} />}
      header={
        <>
          <Brand />
          <span className={classes.divider} />
          <EstatePicker current={open} />
          <span className={classes.spring} />
          <LanguageSwitch />
          <ThemeSwitch />
          <UserMenu />
        </>
      }
    >
      <Outlet />
    </Shell>
  );
}
