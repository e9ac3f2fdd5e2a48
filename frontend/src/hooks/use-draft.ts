import { useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';

import type { Draft } from '@/contracts/api';
import { createChangeSet } from '@/lib/api/change-set-create';
import { discardChangeSet } from '@/lib/api/change-set-discard';
import { settlePending } from '@/lib/pending-store';
import { refreshDraft } from '@/lib/refresh';

import { useEstatePage } from './use-estate-page';
import { useParameter, useSetParameters } from './use-view-state';

/** The number of the change set on view, which stands in the address bar; null is the running estate. */
export function useDraftNumber(): number | null {
  const [text] = useParameter('draft');
  const number = Number(text);
  return text !== null && Number.isInteger(number) && number > 0 ? number : null;
}

type EditOptions = {
  /** Of the change set that is made where there is none. */
  title?: string;
  /** Rejects where the edit would be refused, before a change set is made: nothing is left of what nobody wants. */
  tryOut?: () => Promise<unknown>;
};

export type RunEdit = (
  edit: (draft: Draft) => Promise<unknown>,
  base?: Draft | null,
  options?: EditOptions,
) => Promise<Draft>;

/**
 * Carries an edit out in the change set on view, or in a new one, which is on view from then on. `base` is the state of
 * the change set that the edit was made from. A new one that nothing came of is given up again.
 */
export function useEdit(): RunEdit {
  const estate = useEstatePage();
  const queries = useQueryClient();
  const set = useSetParameters();
  const { name, change_set: shown } = estate;
  return useCallback(
    async (edit, base = shown, { title, tryOut } = {}) => {
      if (base === null) {
        await tryOut?.();
      }
      const draft = base ?? (await createChangeSet(name, title));
      try {
        await edit(draft);
      } catch (error) {
        if (base === null) {
          await discardChangeSet(name, draft.number);
        }
        throw error;
      }
      set({ draft: String(draft.number) });
      await refreshDraft(queries, name, draft);
      settlePending(name);
      return draft;
    },
    [name, shown, queries, set],
  );
}
