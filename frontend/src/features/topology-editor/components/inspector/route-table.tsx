import { Button, UnstyledButton } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { BreakableName } from '@/components/ui/breakable-name';
import type { Route } from '@/contracts/api';
import { useSelection } from '@/hooks/use-view-state';
import { ids } from '@/topology/graph';
import type { Located } from '@/topology/lookup';
import { formatSelection } from '@/topology/selection';

import classes from './inspector.module.css';

/** A side panel with thousands of rows takes seconds to draw; whoever looks for one route types its name. */
const rowsAtOnce = 200;

type Props = { routes: readonly Located<Route>[]; label: string; showPlace: boolean };

/** Routes as a table: the drawing's equal for whoever cannot, or would rather not, use the drawing. */
export function RouteTable({ routes, label, showPlace }: Props) {
  const { t } = useTranslation('inspector');
  const [shown, setShown] = useState(rowsAtOnce);
  const [selection, select] = useSelection();
  const chosen = selection === null ? null : formatSelection(selection);
  if (routes.length === 0) {
    return <p className={classes.none}>{t('table.none')}</p>;
  }
  return (
    <>
      <table className={classes.routes} aria-label={label}>
        <thead>
          <tr>
            <th scope="col">{t('table.route')}</th>
            <th scope="col">{t('table.address')}</th>
          </tr>
        </thead>
        <tbody>
          {routes.slice(0, shown).map(({ instance, database, value: route }) => {
            const itself = { kind: 'route', instance, database, route: route.name } as const;
            return (
              <tr
                key={ids.route({ instance, database }, route.name)}
                data-expired={route.is_expired}
                data-chosen={chosen === formatSelection(itself)}
              >
                <td>
                  <UnstyledButton
                    className={classes.routeName}
                    onClick={() => {
                      select(itself);
                    }}
                  >
                    {route.name}
                  </UnstyledButton>
                  {showPlace && (
                    <span className={classes.place2}>
                      {instance} · {database}
                    </span>
                  )}
                  {route.is_expired && <span className={classes.place2}>{t('table.expired')}</span>}
                </td>
                <td>
                  <span className={`${classes.mono} ${classes.struck}`}>
                    <BreakableName>{route.service_name ?? '∗'}</BreakableName>
                  </span>
                  <span className={`${classes.mono} ${classes.leads}`}>
                    → {route.address.replace(/^tcp:\/\//i, '')}
                  </span>
                  {route.mirror_address !== null && (
                    <span className={`${classes.mono} ${classes.leads}`}>
                      {t('table.mirror', { address: route.mirror_address.replace(/^tcp:\/\//i, '') })}
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
      {routes.length > shown && (
        <Button
          variant="default"
          size="xs"
          mt={8}
          onClick={() => {
            setShown(shown + rowsAtOnce);
          }}
        >
          {t('table.more', { count: Math.min(rowsAtOnce, routes.length - shown), rest: routes.length - shown })}
        </Button>
      )}
    </>
  );
}
