import { Outlet } from 'react-router';

import { Brand } from './brand';
import { EstatePicker } from './estate-picker';
import { Navigation } from './navigation';
import { Shell } from './shell';
import classes from './shell.module.css';
import { ThemeSwitch } from './theme-switch';
import { UserMenu } from './user-menu';

/** The frame of pages that belong to no estate. */
export function PlainFrame() {
  return (
    <Shell
      navigation={<Navigation estate={null} />}
      header={
        <>
          <Brand />
          <span className={classes.divider} />
          <EstatePicker current={null} />
          <span className={classes.spring} />
          <ThemeSwitch />
          <UserMenu />
        </>
      }
    >
      <Outlet />
    </Shell>
  );
}
