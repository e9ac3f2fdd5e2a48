import { useDebouncedCallback } from '@mantine/hooks';
import { useCallback, useLayoutEffect, useState } from 'react';
import { useLocation, useNavigate, useSearchParams } from 'react-router';

import { formatSelection, parseSelection, type Selection } from '@/topology/selection';

// The address bar is the only place where the page keeps what is on view, so that any view can be sent as a link.

type Parameters = Readonly<Record<string, string | null>>;

/** Milliseconds. */
const typingPause = 250;

/**
 * The query as it was asked for last. What the page shows lags behind: two changes in one moment must not undo each other.
 */
const address = { search: '' };

/** Follows the address bar; used once, at the root. A part of a page that appears meanwhile must not bring an old query back. */
export function useFollowAddress(): void {
  const { search } = useLocation();
  useLayoutEffect(() => {
    address.search = search;
  }, [search]);
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
      void navigate({ search: address.search }, { replace: true });
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

/** A text that is typed: here at once, in the address bar when the typing pauses, so that no letter is lost on the way. */
export function useTypedParameter(name: string): [string, (text: string) => void] {
  const [kept, keep] = useParameter(name);
  const [text, setText] = useState(kept ?? '');
  const keepLater = useDebouncedCallback(keep, typingPause);
  return [
    text,
    (typed) => {
      setText(typed);
      keepLater(typed);
    },
  ];
}
