import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

import { formatSelection, parseSelection, type Selection } from '@/topology/selection';

// The address bar is the only place where the page keeps what is on view, so that any view can be sent as a link.

type Parameters = Readonly<Record<string, string | null>>;

/** Changes several query parameters in one step; null and '' take one away. */
export function useSetParameters(): (values: Parameters) => void {
  const [, setParameters] = useSearchParams();
  return useCallback(
    (values: Parameters) => {
      setParameters(
        (before) => {
          const after = new URLSearchParams(before);
          for (const [name, value] of Object.entries(values)) {
            if (value === null || value === '') {
              after.delete(name);
            } else {
              after.set(name, value);
            }
          }
          return after;
        },
        { replace: true },
      );
    },
    [setParameters],
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
