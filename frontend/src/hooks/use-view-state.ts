import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useLayoutEffect, useState } from 'react';
import { type Location, useLocation, useNavigate, useSearchParams } from 'react-router';

import { formatSelection, parseSelection, type Selection } from '@/topology/selection';

// The address bar is the only place where the page keeps what is on view, so that any view can be sent as a link.

type Parameters = Readonly<Record<string, string | null>>;

/**
 * What the browser's Back makes of a change. A `step` is undone by itself. A `run` is many small changes of the same
 * parameters, such as letters of a filter or positions of a slider: Back undoes it whole. A `correction` is made by the
 * page, not by a person: Back passes over it.
 */
export type ChangeKind = 'step' | 'run' | 'correction';

/** Of a change, in the entry of the history that it has made or rewritten. */
type Entry = { change?: number; run?: string | null };

/** Milliseconds. */
const typingPause = 250;

/**
 * The query as it was asked for last. What the page shows lags behind: two changes in one moment must not undo each
 * other. Our changes are counted: `asked` so far, `seen` on view. `run` names the parameters of the run that the entry
 * of the history belongs to.
 */
const address = { search: '', asked: 0, seen: 0, run: null as string | null };

/**
 * Follows the address bar; used once, at the root. A part of a page that appears meanwhile must not bring an old query
 * back, nor must an older change of ours that comes on view when a newer one is on its way.
 */
export function useFollowAddress(): void {
  const { key, search, state } = useLocation() as Location<Entry | null>;
  useLayoutEffect(() => {
    const change = state?.change ?? 0;
    const overtaken = address.seen < change && change < address.asked;
    if (overtaken) {
      address.seen = change;
    } else {
      address.seen = address.asked;
      address.search = search;
      address.run = state?.run ?? null;
    }
  }, [key, search, state]);
}

/**
 * Changes several query parameters at once; null and '' take one away. Each step is an entry of the browser's history,
 * so Back undoes it. Changes that are asked for before the last one is on view belong to the same step.
 */
export function useSetParameters(): (values: Parameters, kind?: ChangeKind) => void {
  const navigate = useNavigate();
  return useCallback(
    (values: Parameters, kind: ChangeKind = 'step') => {
      const after = new URLSearchParams(address.search);
      for (const [name, value] of Object.entries(values)) {
        if (value === null || value === '') {
          after.delete(name);
        } else {
          after.set(name, value);
        }
      }
      const search = after.size === 0 ? '' : `?${after.toString()}`;
      if (search === address.search) {
        return;
      }
      const run = kind === 'run' ? Object.keys(values).sort().join() : null;
      const isUnseen = address.seen < address.asked;
      const replace = kind === 'correction' || isUnseen || (run !== null && run === address.run);
      address.search = search;
      address.asked += 1;
      address.run = kind === 'correction' ? address.run : run;
      void navigate({ search }, { replace, state: { change: address.asked, run: address.run } satisfies Entry });
    },
    [navigate],
  );
}

export function useParameter(name: string, kind: ChangeKind = 'step'): [string | null, (value: string | null) => void] {
  const [parameters] = useSearchParams();
  const setAll = useSetParameters();
  const set = useCallback(
    (value: string | null) => {
      setAll({ [name]: value }, kind);
    },
    [name, kind, setAll],
  );
  return [parameters.get(name), set];
}

/** The tab that is open; the first where the address bar names none that there is. */
export function useTab(tabs: readonly string[]): [string, (tab: string | null, others?: Parameters) => void] {
  const [named] = useParameter('tab');
  const setAll = useSetParameters();
  const [first = ''] = tabs;
  const set = useCallback(
    (tab: string | null, others: Parameters = {}) => {
      setAll({ tab: tab === first ? null : tab, ...others });
    },
    [first, setAll],
  );
  return [named !== null && tabs.includes(named) ? named : first, set];
}

/** What is selected. Selecting something else closes the form that is open, unless `others` says otherwise. */
export function useSelection(): [
  Selection | null,
  (selection: Selection | null, others?: Parameters, kind?: ChangeKind) => void,
] {
  const [parameters] = useSearchParams();
  const setAll = useSetParameters();
  const set = useCallback(
    (selection: Selection | null, others: Parameters = { edit: null }, kind: ChangeKind = 'step') => {
      setAll({ select: selection === null ? null : formatSelection(selection), ...others }, kind);
    },
    [setAll],
  );
  return [parseSelection(parameters.get('select')), set];
}

/**
 * A filter that is typed: here at once, in the address bar when the typing pauses, so that no letter is lost on the way.
 * What it leaves is read from the first page on. What the address says otherwise, as after Back, takes its place.
 */
export function useTypedParameter(name: string): [string, (text: string) => void] {
  const setAll = useSetParameters();
  return useTyped(useParameter(name)[0] ?? '', (typed) => {
    setAll({ [name]: typed, page: null }, 'run');
  });
}

/**
 * Text that is typed over the `kept` one: here at once, asked for when the typing pauses. What is kept because it was
 * asked for takes no place: the person may have typed on meanwhile, or a blank before the next word.
 */
export function useTyped(kept: string, ask: (text: string) => void): [string, (text: string) => void] {
  const [typed, setTyped] = useState<{ text: string; over: string; asked: string | null } | null>(null);
  const askLater = useDebouncedCallback((text: string) => {
    setTyped((now) => (now === null ? now : { ...now, asked: text.trim() }));
    ask(text.trim());
  }, typingPause);
  if (typed !== null && typed.over !== kept && typed.asked === kept) {
    setTyped({ ...typed, over: kept });
  }
  return [
    typed?.over === kept ? typed.text : kept,
    (text) => {
      setTyped((now) => ({ text, over: kept, asked: now?.asked ?? null }));
      askLater(text);
    },
  ];
}
