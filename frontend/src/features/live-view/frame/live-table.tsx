import { Button, CloseButton } from '@mantine/core';
import { useEffect, useMemo, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { ListPart, Split, ToolBar } from '@/components/ui/page';
import { announce } from '@/hooks/use-announcer';
import { tellDone, tellProblem } from '@/lib/notices';
import type { GridRow, Read } from '@/live/grid/rows';
import { tableText } from '@/live/grid/table-text';

import { useViewActions } from '../actions';
import { ColumnChooser } from './column-chooser';
import { copyTable } from '@/lib/copy-table';
import { Empty } from './empty';
import { Facets, type Facet } from './facets';
import { Foot } from './foot';
import { Grid } from './grid';
import classes from './grid.module.css';
import { lookedColumns, shownColumns, type LookedColumn, type Looks } from './looks';
import { RowDrawer, type DrawerParts } from './row-drawer';
import { SourceStrip } from './source-words';
import { CopyButton, PauseButton, PlaceFilter, TextFilter } from './tools';
import type { LiveList } from './use-live-list';

type Props = {
  label: string;
  list: LiveList;
  looks: Looks;
  facets?: readonly Facet[];
  /** Other parameters of the address that narrow the rows: what a view chooses without chips. */
  filters?: readonly string[];
  hasDatabases?: boolean;
  /** Whether `empty` tells of the instance or database that is chosen, so that it is no row that does not match. */
  isPlaceTold?: boolean;
  /** What stands above the rows: sums, groups, charts. */
  above?: ReactNode;
  /** What it means that there is nothing. */
  empty: ReactNode;
  groupOf?: ((row: GridRow, read: Read) => string) | undefined;
  half?: (row: GridRow) => ReactNode;
  drawer: (row: GridRow, read: Read) => DrawerParts;
};

const noFacets: readonly Facet[] = [];
const noFilters: readonly string[] = [];

/**
 * The frame of every live view: tools, what is above, the rows, what is shown of how much, and beside it the row that
 * is open.
 */
export function LiveTable(props: Props) {
  const {
    label,
    list,
    looks,
    facets = noFacets,
    filters = noFilters,
    hasDatabases = false,
    isPlaceTold = false,
    above,
    empty,
    groupOf,
    half,
    drawer,
  } = props;
  const { t } = useTranslation('views');
  const { row: RowActions, selection: SelectionActions } = useViewActions();
  const [timesCleared, setTimesCleared] = useState(0);
  const { query, shown } = list;
  const columns = useMemo(
    () => lookedColumns(list.columns, looks, (name) => t(`vendor.${name as 'state'}`, { defaultValue: name })),
    [list.columns, looks, t],
  );
  const visible = useMemo(() => shownColumns(columns, query.columns), [columns, query.columns]);
  const narrowing = [...filters, ...facets.map(({ name }) => name)];
  const isNarrowed = query.text !== '' || narrowing.some((name) => query.chosen(name).length > 0);
  const isFiltered = isNarrowed || query.instance !== null;
  const open = shown.rows.find(({ key }) => key === query.row);
  const clear = () => {
    query.clear(narrowing);
    setTimesCleared(timesCleared + 1);
  };
  const copy = () => {
    const rows = list.selected.size === 0 ? shown.rows : shown.rows.filter(({ key }) => list.selected.has(key));
    copyTable(tableText(visible, rows)).then((isDone) => {
      tellDone(
        isDone ? t('copy.done', { count: rows.filter(({ half }) => half === undefined).length }) : t('copy.failed'),
      );
    }, tellProblem);
  };
  return (
    <Split
      label={t('drawer.label')}
      details={
        open === undefined ? null : (
          <RowDrawer
            key={open.key}
            {...drawer(open, list.read)}
            actions={RowActions !== undefined && <RowActions row={open} read={list.read} />}
            row={open}
            columns={columns}
            hasLeft={shown.left.has(open.key)}
            onClose={() => {
              query.setRow(null);
            }}
          />
        )
      }
    >
      <ListPart
        bar={
          <Tools
            key={timesCleared}
            list={list}
            columns={columns}
            facets={facets}
            hasDatabases={hasDatabases}
            onClear={isFiltered ? clear : null}
            onCopy={copy}
          />
        }
        foot={
          <>
            <SelectionBar list={list}>
              {SelectionActions !== undefined && (
                <SelectionActions rows={shown.rows.filter(({ key }) => list.selected.has(key))} read={list.read} />
              )}
            </SelectionBar>
            <Foot list={list} isSorted={query.sorting !== null} />
          </>
        }
      >
        <div className={classes.frame}>
          <div>
            <SourceStrip sources={list.sources} />
            <NotThere list={list} isOpen={open !== undefined} />
            {above}
          </div>
          <div className={classes.rows}>
            <NewBar list={list} />
            {shown.rows.length === 0 ? (
              <Empty list={list} isFiltered={isPlaceTold ? isNarrowed : isFiltered} onClear={clear}>
                {empty}
              </Empty>
            ) : (
              <Grid label={label} list={list} columns={visible} onCopy={copy} groupOf={groupOf} half={half} />
            )}
          </div>
        </div>
      </ListPart>
    </Split>
  );
}

type ToolsProps = {
  list: LiveList;
  columns: readonly LookedColumn[];
  facets: readonly Facet[];
  hasDatabases: boolean;
  /** Null while nothing narrows the rows. */
  onClear: (() => void) | null;
  onCopy: () => void;
};

/** What narrows the rows, and what is done with them. */
function Tools({ list, columns, facets, hasDatabases, onClear, onCopy }: ToolsProps) {
  const { t } = useTranslation('views');
  return (
    <ToolBar isSearch>
      <TextFilter />
      <PlaceFilter list={list} hasDatabases={hasDatabases} />
      {onClear !== null && (
        <CloseButton size="sm" aria-label={t('filter.clear')} title={t('filter.clear')} onClick={onClear} />
      )}
      <span className={classes.tools}>
        <ColumnChooser columns={columns} query={list.query} />
        <CopyButton list={list} onCopy={onCopy} />
        <PauseButton list={list} />
      </span>
      {facets.length > 0 && (
        <span className={classes.facets}>
          <Facets facets={facets} query={list.query} />
        </span>
      )}
    </ToolBar>
  );
}

/** The address names a row that is not among those that are shown. */
function NotThere({ list, isOpen }: { list: LiveList; isOpen: boolean }) {
  const { t } = useTranslation('views');
  return list.query.row === null || isOpen || !list.isKnown || list.isOld ? null : (
    <p className={classes.strip} role="status">
      {t('drawer.notThere')}
      <CloseButton
        size="xs"
        aria-label={t('drawer.close')}
        onClick={() => {
          list.query.setRow(null);
        }}
      />
    </p>
  );
}

/** What has come and is not shown, because somebody reads. It lies over the rows and moves none. */
function NewBar({ list }: { list: LiveList }) {
  const { t } = useTranslation('views');
  const isThere = list.waiting > 0 && !list.pause.isPaused;
  useEffect(() => {
    if (isThere) {
      announce(t('newRows'));
    }
  }, [isThere, t]);
  return !isThere ? null : (
    <div className={classes.newBar}>
      <Button size="compact-xs" onClick={list.showWaiting}>
        {t('showNew', { count: list.waiting })}
      </Button>
    </div>
  );
}

function SelectionBar({ list, children }: { list: LiveList; children: ReactNode }) {
  const { t } = useTranslation('views');
  if (list.selected.size === 0) {
    return null;
  }
  return (
    <div className={classes.selection}>
      <strong>{t('selection', { count: list.selected.size })}</strong>
      {children}
      <CloseButton
        size="sm"
        aria-label={t('unselect')}
        title={t('unselect')}
        onClick={() => {
          list.select(new Set());
        }}
      />
    </div>
  );
}
