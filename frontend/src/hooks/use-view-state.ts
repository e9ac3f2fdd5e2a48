import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useLayoutEffect, useState } from 'react';
import { type Location, useLocation, useNavigate, useSearchParams } from 'react-router';

import { formatSelection, parseSelection, type Selection } from '@/topology/selection';

// The address bar is the only place where the page keeps what is on view, so that any view can be sent as a link.

type Parameters = Readonly<Record<string, string | null>>;

/** Milliseconds. */
const typingPause = 250;

/**
 * The query as it was asked for last. What the page shows lags behind: two changes in one moment must not undo each
 * other. Our changes are counted: `asked` so far, `seen` on view.
 */
const address = { search: '', asked: 0, seen: 0 };

/**
 * Follows the address bar; used once, at the root. A part of a page that appears meanwhile must not bring an old query
 * back, nor must an older change of ours that comes on view when a newer one is on its way.
 */
export function useFollowAddress(): void {
  const { key, search, state } = useLocation() as Location<{ change?: number } | null>;
  useLayoutEffect(() => {
    const change = state?.change ?? 0;
    const overtaken = address.seen < change && change < address.asked;
    if (overtaken) {
      address.seen = change;
    } else {
      address.seen = address.asked;
      address.search = search;
    }
  }, [key, search, state]);
}

/** Changes several query parameters in one step; null and '' take one away. */
export function useSetParameters(): (values: Parameters) => void {
  const navigate = useNavigate();
  return useCallback(
    (values: Parameters) => {
      const after = new URLSearchParams(address.search);
      for (const [name, value] of Object.entries(values)) {
        if (value === null || value === '') {
          after.delete(name);
        } else {
          after.set(name, value);
        }
      }
      address.search = after.size === 0 ? '' : `?${after.toString()}`;
      address.asked += 1;
      void navigate({ search: address.search }, { replace: true, state: { change: address.asked } });
    },
    [navigate],
  );
}

export function useParameter(name: string): [string | null, (value: string | null) => void] {
  const [parameters] = useSearchParams();
  const setAll = useSetParameters();
  const set = useCallback(
    (value: string | null) => {
      setAll({ [name]: value });
    },
    [name, setAll],
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
export function useSelection(): [Selection | null, (selection: Selection | null, others?: Parameters) => void] {
  const [parameters] = useSearchParams();
  const setAll = useSetParameters();
  const set = useCallback(
    (selection: Selection | null, others: Parameters = { edit: null }) => {
      setAll({ select: selection === null ? null : formatSelection(selection), ...others });
    },
    [setAll],
  );
  return [parseSelection(parameters.get('select')), set];
}

/**
 * A filter that is typed: here at once, in the address bar when the typing pauses, so that no letter is lost on the way.
 * What it leaves is read from the first page on.
 */
export function useTypedParameter(name: string): [string, (text: string) => void] {
  const [parameters] = useSearchParams();
  const setAll = useSetParameters();
  const [text, setText] = useState(parameters.get(name) ?? '');
  const keepLater = useDebouncedCallback((typed: string) => {
    setAll({ [name]: typed, page: null });
  }, typingPause);
  return [
    text,
    (typed) => {
      setText(typed);
      keepLater(typed);
    },
  ];
}
