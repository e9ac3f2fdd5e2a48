import { CloseButton, TextInput } from '@mantine/core';
import { IconChevronDown, IconChevronRight, IconSearch } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { useTranslation } from 'react-i18next';

import { EmptyState } from '@/components/ui/empty-state';
import type { Estate } from '@/contracts/api';
import { announce } from '@/hooks/use-announcer';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useHiddenLayers } from '@/hooks/use-layers';
import { useMarked } from '@/hooks/use-marked';
import { useSelection, useTypedParameter } from '@/hooks/use-view-state';
import { draftId } from '@/topology/draft-marks';
import { routesWithin, turnedBoth } from '@/topology/marking';
import { outlineRows, pathTo, type OutlineRow } from '@/topology/outline';
import { formatSelection, parseSelection } from '@/topology/selection';

import { useRowsInView } from '@/hooks/use-rows-in-view';
import { HiddenNotice } from '../layer-menu';
import { LiveWords } from './live-words';
import { OutlineSign } from './outline-sign';
import classes from './outline.module.css';

const rowHeight = 28;
/** More routes than these that are selected together are not unfolded: that would bury the rest. */
const unfoldedMax = 12;

type Props = {
  onClose: () => void;
  /** How often the search was called for; each time it takes the focus. */
  sought?: number;
  /** Delete was pressed on a row that can be deleted. */
  onDelete: (row: OutlineRow) => void;
};

/** The estate as a tree grid: all that the drawing shows, in step with it, for the keyboard and for reading aloud. */
export function Outline({ onClose, sought = 0, onDelete }: Props) {
  const { t, i18n } = useTranslation('canvas');
  const estate = useEstatePage();
  const [selection, select] = useSelection();
  const marked = useMarked();
  const [wanted, setWanted] = useTypedParameter('find');
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(selection === null ? [] : pathTo(selection)));
  const chosen = selection === null ? null : formatSelection(selection);
  const selections = [selection, ...(marked.routes.size > unfoldedMax ? [] : [...marked.routes].map(parseSelection))];
  const above = [...new Set(selections.flatMap((one) => (one === null ? [] : pathTo(one))))].join(' ');
  // What is selected elsewhere is unfolded here, once, so that both show the same and it can be folded again.
  const [shown, setShown] = useState(above);
  if (shown !== above) {
    setShown(above);
    setOpen(new Set([...open, ...above.split(' ')]));
  }
  const hidden = useHiddenLayers();
  // The rows hold words: another language makes them anew.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const rows = useMemo(() => outlineRows(estate, open, wanted, hidden), [estate, open, wanted, hidden, i18n.language]);
  const drafted = useMemo(() => new Set(estate.draft_objects.map(draftId)), [estate.draft_objects]);
  const [current, setCurrent] = useState<string | null>(null);
  const at = Math.max(
    0,
    rows.findIndex((row) => row.id === current || (current === null && formatSelection(row.selection) === chosen)),
  );
  const { first, last, setFrame, onScroll, show } = useRowsInView(rows.length, rowHeight);
  const grid = useRef<HTMLDivElement>(null);
  const find = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (sought > 0) {
      find.current?.focus();
    }
  }, [sought]);

  const toggle = (row: OutlineRow, isOpen: boolean) => {
    setOpen((before) => {
      const after = new Set(before);
      if (isOpen) {
        after.add(row.id);
      } else {
        after.delete(row.id);
      }
      return after;
    });
  };
  const go = (index: number) => {
    const row = rows[Math.min(Math.max(index, 0), rows.length - 1)];
    if (row !== undefined) {
      setCurrent(row.id);
      show(rows.indexOf(row));
      requestAnimationFrame(() =>
        grid.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(row.id)}"]`)?.focus(),
      );
    }
  };
  /** Takes routes into the selection of several, or out of it; what was selected alone is the first of them. */
  const turn = (some: readonly OutlineRow[]) => {
    const before =
      marked.routes.size === 0 && selection?.kind === 'route' ? new Set([formatSelection(selection)]) : marked.routes;
    const boxes = some.flatMap(({ kind, selection: of }) =>
      kind === 'instance' || kind === 'database' ? [formatSelection(of)] : [],
    );
    const [routes, both] = turnedBoth(before, marked.boxes, {
      routes: some.flatMap((row) => routesOfRow(estate, row)),
      boxes,
    });
    marked.set(routes, both);
    announce(t('marked.count', { routes: routes.size, boxes: both.size }));
  };
  const isMarked = ({ selection: of }: OutlineRow) =>
    marked.routes.has(formatSelection(of)) || marked.boxes.has(formatSelection(of));
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows[at];
    const isHeld = event.ctrlKey || event.metaKey;
    if (row !== undefined && isHeld && (event.key === 'a' || event.key === ' ' || event.key === 'Enter')) {
      event.preventDefault();
      event.stopPropagation();
      turn(
        event.key === 'a'
          ? rows.filter((other) => other.kind === 'route' && (other.parent === row.parent || other.parent === row.id))
          : [row],
      );
      return;
    }
    if (event.key === 'Escape' && (marked.routes.size > 0 || marked.boxes.size > 0)) {
      marked.clear();
      return;
    }
    const act =
      row === undefined
        ? undefined
        : actions(row, at, rows, {
            go,
            toggle,
            select: () => {
              marked.clear();
              select(row.selection);
            },
            remove: () => {
              if (marked.routes.size > 0) {
                marked.ask('delete');
              } else {
                onDelete(row);
              }
            },
          })[event.key];
    if (act !== undefined) {
      event.preventDefault();
      event.stopPropagation();
      act();
    }
  };

  return (
    <section className={classes.outline} aria-label={t('outline.label')}>
      <header className={classes.head}>
        <TextInput
          ref={find}
          size="xs"
          className={classes.find ?? ''}
          leftSection={<IconSearch size={14} />}
          placeholder={t('outline.placeholder')}
          aria-label={t('outline.find')}
          value={wanted}
          onChange={(event) => {
            setWanted(event.currentTarget.value);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') {
              event.preventDefault();
              go(0);
            }
            const best = rows.find((row) => row.isOpen === null) ?? rows[0];
            if (event.key === 'Enter' && best !== undefined && wanted !== '') {
              select(best.selection);
            }
          }}
        />
        <CloseButton aria-label={t('outline.close')} onClick={onClose} />
      </header>
      {wanted.trim() === '' && (
        <div className={classes.notice}>
          <HiddenNotice />
        </div>
      )}
      <div ref={setFrame} className={classes.scroll} onScroll={onScroll}>
        <div
          ref={grid}
          role="treegrid"
          tabIndex={-1}
          aria-label={t('outline.of', { estate: estate.name })}
          aria-multiselectable
          aria-rowcount={rows.length}
          className={classes.rows}
          style={{ height: rows.length * rowHeight }}
          onKeyDown={onKeyDown}
        >
          {rows.slice(first, last).map((row, index) => (
            <Row
              key={row.id}
              row={row}
              index={first + index}
              isCurrent={first + index === at}
              isChosen={formatSelection(row.selection) === chosen || isMarked(row)}
              isDraft={drafted.has(row.id)}
              onToggle={() => {
                toggle(row, row.isOpen === false);
              }}
              onSelect={(event) => {
                setCurrent(row.id);
                if (event.shiftKey) {
                  const [from, to] = [Math.min(at, first + index), Math.max(at, first + index)];
                  const range = rows
                    .slice(from, to + 1)
                    .flatMap((one) => (one.kind === 'route' ? [formatSelection(one.selection)] : []));
                  marked.set([...marked.routes, ...range], marked.boxes);
                } else if (event.ctrlKey || event.metaKey) {
                  turn([row]);
                } else {
                  marked.clear();
                  select(row.selection);
                }
              }}
            />
          ))}
        </div>
        {rows.length === 0 && <EmptyState>{t('outline.none', { wanted, count: estate.instances.length })}</EmptyState>}
      </div>
    </section>
  );
}

/** A route itself, or the routes that lead out of an instance or a database. */
function routesOfRow(estate: Estate, { kind, selection }: OutlineRow): string[] {
  return kind === 'route' ? [formatSelection(selection)] : kind === 'service' ? [] : routesWithin(estate, selection);
}

type Acts = {
  go: (index: number) => void;
  toggle: (row: OutlineRow, isOpen: boolean) => void;
  select: () => void;
  remove: () => void;
};

/** What the keys do on a row, as in every tree: right unfolds or goes in, left folds or goes out. */
function actions(
  row: OutlineRow,
  at: number,
  rows: readonly OutlineRow[],
  acts: Acts,
): Readonly<Record<string, (() => void) | undefined>> {
  const page = 15;
  return {
    ArrowDown: () => {
      acts.go(at + 1);
    },
    ArrowUp: () => {
      acts.go(at - 1);
    },
    PageDown: () => {
      acts.go(at + page);
    },
    PageUp: () => {
      acts.go(at - page);
    },
    Home: () => {
      acts.go(0);
    },
    End: () => {
      acts.go(rows.length - 1);
    },
    Enter: acts.select,
    ' ': acts.select,
    ArrowRight: () => {
      if (row.isOpen === false) {
        acts.toggle(row, true);
      } else if (row.isOpen === true) {
        acts.go(at + 1);
      }
    },
    ArrowLeft: () => {
      if (row.isOpen === true) {
        acts.toggle(row, false);
      } else if (row.parent !== null) {
        acts.go(rows.findIndex((other) => other.id === row.parent));
      }
    },
    ...(row.kind === 'route' ? { Delete: acts.remove } : {}),
  };
}

type RowProps = {
  row: OutlineRow;
  index: number;
  isCurrent: boolean;
  isChosen: boolean;
  isDraft: boolean;
  onToggle: () => void;
  onSelect: (event: MouseEvent) => void;
};

/** The pointer has the row; the keyboard is heard by the grid, which holds one stop of the Tab key. */
function Row({ row, index, isCurrent, isChosen, isDraft, onToggle, onSelect }: RowProps) {
  const { t } = useTranslation('canvas');
  const Fold = row.isOpen === true ? IconChevronDown : IconChevronRight;
  return (
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-level={row.level}
      aria-posinset={row.position}
      aria-setsize={row.siblings}
      aria-expanded={row.isOpen ?? undefined}
      aria-selected={isChosen}
      tabIndex={isCurrent ? 0 : -1}
      data-row={row.id}
      className={classes.row}
      style={{ top: index * rowHeight }}
      onClick={onSelect}
    >
      <span role="gridcell" className={classes.name} style={{ paddingLeft: (row.level - 1) * 16 }}>
        {/* A shortcut for the pointer; the arrow keys fold and unfold. */}
        <span
          className={classes.fold}
          aria-hidden
          onClick={(event) => {
            event.stopPropagation();
            onToggle();
          }}
        >
          {row.isOpen !== null && <Fold size={14} />}
        </span>
        <OutlineSign kind={row.kind} />
        <span className={classes.text} data-struck={row.isStruck} data-kind={row.kind} title={row.name}>
          {row.name}
        </span>
        {isDraft && (
          <span
            className={classes.dot}
            role="img"
            aria-label={t('outline.inDraft')}
            title={t('outline.inDraftTitle')}
          />
        )}
      </span>
      <span role="gridcell" className={classes.about} title={row.about}>
        <LiveWords selection={row.selection} />
        {row.about}
      </span>
    </div>
  );
}
