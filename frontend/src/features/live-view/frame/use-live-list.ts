import { useMemo, useState } from 'react';

import type { Topic, TopicParams } from '@/contracts/live-messages';
import { useEstatePage } from '@/hooks/use-estate-page';
import { i18n } from '@/i18n';
import { useLiveStore } from '@/lib/live-store';
import { countNew, type Shown } from '@/live/grid/places';
import { columnsWith, rowsWith, type Added } from '@/live/grid/added';
import { gridColumns, gridRows, reader, sorted, type GridColumn, type GridRow, type Read } from '@/live/grid/rows';
import { sourcesOf, totalOf, type Source, type Total } from '@/live/grid/sources';
import { plainText } from '@/live/grid/table-text';
import { keyOf, type TopicState } from '@/live/streams';
import { matches } from '@/topology/words';

import { useKeptPlaces } from './use-kept-places';
import { useLiveTopic } from './use-live-topic';
import { usePause, type Pause } from './use-pause';
import { useViewQuery, type ViewQuery } from './use-view-query';

/** Rows of an instance that is looked at alone; and of all together, so that a large estate is no larger a table. */
const rowsOfOne = 1000;
const rowsOfAll = 4000;
/** What the server gives of each when nothing is asked for. */
const rowsUsual = 200;
const rowsLeast = 10;

/** How many rows of each instance, when all are shown. */
function rowsOfEach(instances: number): { rows?: number } {
  const share = Math.max(rowsLeast, Math.floor(rowsOfAll / Math.max(1, instances)));
  return share >= rowsUsual ? {} : { rows: share };
}

/** What the order of rows may depend on beside them. */
export type Known = { sources: readonly Source[]; facts: TopicState['table']['facts'] };

export type Narrowed = {
  /** What is asked for; another one begins the list anew. */
  by: string;
  passes: (row: GridRow, read: Read) => boolean;
};

type Wish = {
  topic: Topic;
  /** What the view's own facets ask for. Keep the object as long as it says the same. */
  params?: TopicParams;
  /** Whether the engine looks for `text`; otherwise the rows that are here are looked through. */
  findsText?: boolean;
  /** Whether the topic takes a database. */
  findsDatabase?: boolean;
  /** Rows in the order of the view, with what it adds; not used while a column sorts. Keep the function. */
  order?: (rows: readonly GridRow[], read: Read, known: Known) => readonly GridRow[];
  /**
   * Which rows pass what the view's own facets ask for, where this browser alone can tell. Keep the object as long as
   * it does the same.
   */
  narrowed?: Narrowed | undefined;
  /** Columns that the view makes of those that are told. Keep the object as long as it makes the same. */
  added?: Added | undefined;
};

/** Everything that a live view shows: rows where they stand, the exact sums, and what is known of whom. */
export type LiveList = {
  query: ViewQuery;
  /** The topic as of now, also while paused: sums go on. */
  topic: TopicState | undefined;
  columns: readonly GridColumn[];
  read: Read;
  /** Rows as they are shown. */
  shown: Shown;
  /** New rows that are not shown. */
  waiting: number;
  showWaiting: () => void;
  sources: readonly Source[];
  total: Total;
  pause: Pause;
  /** Whether rows answer another question than the one that was asked last. */
  isOld: boolean;
  isKnown: boolean;
  setScrolled: (isScrolled: boolean) => void;
  cursor: string | null;
  setCursor: (key: string | null) => void;
  selected: ReadonlySet<string>;
  select: (keys: ReadonlySet<string>) => void;
};

const noParams: TopicParams = {};
const noFacts = {};
const nothing: ReadonlySet<string> = new Set();

export function useLiveList({
  topic: name,
  params = noParams,
  findsText = false,
  findsDatabase = false,
  order,
  narrowed,
  added,
}: Wish): LiveList {
  const estate = useEstatePage();
  const query = useViewQuery();
  const { text, instance, database, sorting } = query;
  const count = estate.instances.length;
  const wanted = useMemo(
    () => ({
      ...params,
      ...(instance === null ? rowsOfEach(count) : { instances: [instance], rows: rowsOfOne }),
      ...(findsDatabase && instance !== null && database !== null ? { database } : {}),
      ...(findsText && text !== '' ? { text } : {}),
    }),
    [params, instance, database, text, findsText, findsDatabase, count],
  );
  const { state: topic, isOld } = useLiveTopic(estate.name, name, wanted);
  const list = keyOf({ estate: estate.name, topic: name, params: wanted });
  const [held, pause] = usePause(list, topic, isOld);
  const ahead = useLiveStore((store) => store.clockAheadMilliseconds);
  const sources = useMemo(
    () => sourcesOf(topic, instance === null ? estate.instances.map((each) => each.name) : [instance], ahead),
    [topic, instance, estate.instances, ahead],
  );
  const table = held?.table;
  const { columns, read } = useColumns(table?.columns, added);
  const sortId = sorting === null ? '' : `${sorting.id} ${String(sorting.isDescending)}`;
  const current = useMemo(() => {
    const all = table === undefined ? [] : rowsWith(added, gridRows(table), table.columns);
    const rows = narrowed === undefined ? all : all.filter((row) => narrowed.passes(row, read));
    const found =
      findsText || text === ''
        ? rows
        : rows.filter((row) =>
            matches(
              text,
              columns.map(({ at, type }) => plainText(row.cells[at], type)),
            ),
          );
    return sorting === null
      ? (order?.(found, read, { sources, facts: table?.facts ?? noFacts }) ?? found)
      : sorted(found, columns, sorting, i18n.language);
    // `sorting` is made anew with every address.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [table, columns, read, sources, sortId, text, findsText, order, narrowed, added]);
  const [isScrolled, setScrolled] = useState(false);
  const [cursor, setCursor] = useState<string | null>(null);
  const [selected, select] = useState(nothing);
  const isReading = isScrolled || cursor !== null || query.row !== null || selected.size > 0;
  const [shown, showWaiting] = useKeptPlaces(
    `${list} ${sortId} ${findsText ? '' : text} ${narrowed?.by ?? ''}`,
    current,
    isReading,
  );
  const whileStill = useMemo(
    () =>
      pause.isPaused && topic !== undefined && table !== undefined
        ? countNew(gridRows(table), gridRows(topic.table))
        : 0,
    [pause.isPaused, topic, table],
  );
  return {
    query,
    topic,
    columns,
    read,
    shown,
    waiting: shown.waiting + whileStill,
    showWaiting: () => {
      pause.resume();
      showWaiting();
    },
    sources,
    total: totalOf(topic, sources),
    pause,
    isOld,
    isKnown: topic !== undefined && topic.seq > 0,
    setScrolled,
    cursor,
    setCursor,
    selected,
    select,
  };
}

function useColumns(
  told: TopicState['table']['columns'] | undefined,
  added: Added | undefined,
): { columns: readonly GridColumn[]; read: Read } {
  const own = added?.columns;
  return useMemo(() => {
    const columns =
      told === undefined ? [] : columnsWith(own, gridColumns({ columns: told, keys: [], rows: [], facts: {} }));
    return { columns, read: reader(columns) };
  }, [told, own]);
}
