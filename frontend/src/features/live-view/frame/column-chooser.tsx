import { Button, Menu } from '@mantine/core';
import { IconCheck, IconColumns3 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import classes from './grid.module.css';
import { shownColumns, type LookedColumn } from './looks';
import type { ViewQuery } from './use-view-query';

/** Which columns are shown: all of the vendor's view are there, and ours beside them. */
export function ColumnChooser({ columns, query }: { columns: readonly LookedColumn[]; query: ViewQuery }) {
  const { t } = useTranslation('views');
  const shown = new Set(shownColumns(columns, query.columns).map(({ id }) => id));
  const groups = [
    { title: t('columns.vendors'), members: columns.filter(({ isVendors }) => isVendors) },
    { title: t('columns.ours'), members: columns.filter(({ isVendors }) => !isVendors) },
  ];
  const toggle = (id: string) => {
    const after = columns.filter((column) => (column.id === id ? !shown.has(id) : shown.has(column.id)));
    query.setColumns(after.map((column) => column.id));
  };
  return (
    <Menu closeOnItemClick={false} position="bottom-end" withinPortal>
      <Menu.Target>
        <Button size="xs" variant="default" leftSection={<IconColumns3 size={14} />}>
          {t('columns.button')}
        </Button>
      </Menu.Target>
      <Menu.Dropdown className={classes.menu ?? ''}>
        <Menu.Item
          onClick={() => {
            query.setColumns(columns.map(({ id }) => id));
          }}
        >
          {t('columns.all')}
        </Menu.Item>
        <Menu.Item
          disabled={query.columns === null}
          onClick={() => {
            query.setColumns(null);
          }}
        >
          {t('columns.usual')}
        </Menu.Item>
        {groups
          .filter(({ members }) => members.length > 0)
          .map(({ title: group, members }) => (
            <div key={group}>
              <Menu.Label>{group}</Menu.Label>
              {members.map(({ id, title, name, isVendors }) => (
                <Menu.Item
                  key={id}
                  role="menuitemcheckbox"
                  aria-checked={shown.has(id)}
                  disabled={shown.size === 1 && shown.has(id)}
                  leftSection={<span className={classes.box}>{shown.has(id) && <IconCheck size={13} />}</span>}
                  onClick={() => {
                    toggle(id);
                  }}
                >
                  {isVendors ? name : title}
                </Menu.Item>
              ))}
            </div>
          ))}
      </Menu.Dropdown>
    </Menu>
  );
}
