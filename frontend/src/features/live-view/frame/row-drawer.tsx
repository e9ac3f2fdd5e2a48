import { CloseButton } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Section } from '@/components/ui/section';
import type { GridRow } from '@/live/grid/rows';
import { plainText } from '@/live/grid/table-text';

import classes from './grid.module.css';
import type { LookedColumn, Shape } from './looks';
import { Value } from './value';

/** There is room for the whole of them. */
const isWhole = new Set<Shape>(['id', 'name', 'text']);
const isTime = new Set<Shape>(['age', 'until', 'instant']);

export type DrawerParts = {
  /** What it is: "Conversation". */
  kind: string;
  /** By which it is known: a service, an address. */
  name: string;
  /** "PARIS · Ventes". */
  place: string;
  /** The view's own sections, in front of all columns. */
  details?: ReactNode;
};

type Props = DrawerParts & {
  /** What can be done about it. */
  actions: ReactNode;
  row: GridRow;
  columns: readonly LookedColumn[];
  hasLeft: boolean;
  onClose: () => void;
};

/** All about one row: what the view makes of it, and every column under its own name. */
export function RowDrawer({ kind, name, place, details, actions, row, columns, hasLeft, onClose }: Props) {
  const { t } = useTranslation('views');
  return (
    <div className={classes.drawer}>
      <header className={classes.drawerHead}>
        <div className={classes.kind}>
          {kind}
          <CloseButton size="sm" aria-label={t('drawer.close')} onClick={onClose} />
        </div>
        <h2>{name}</h2>
        <p>{place}</p>
        {hasLeft && (
          <p role="status" className={classes.gone}>
            {t('drawer.left')}
          </p>
        )}
      </header>
      {actions}
      {details}
      <Section title={t('drawer.columns')}>
        <dl className={classes.all}>
          {columns.map((column) => (
            <div key={column.id}>
              <dt>{column.isVendors ? column.name : column.title}</dt>
              <dd title={plainText(row.cells[column.at], column.type)}>
                {isWhole.has(column.shape) ? (
                  plainText(row.cells[column.at], column.type)
                ) : (
                  <Value
                    value={row.cells[column.at]}
                    shape={isTime.has(column.shape) ? 'instant' : column.shape}
                    type={column.type}
                  />
                )}
              </dd>
            </div>
          ))}
        </dl>
      </Section>
    </div>
  );
}
