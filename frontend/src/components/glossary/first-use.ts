import { useId, useLayoutEffect } from 'react';
import { create } from 'zustand';

import type { TermName } from '@/i18n/terms';

/** Who shows a term on the page now, in the order in which they came. */
type Uses = Partial<Record<TermName, readonly string[]>>;

const useUses = create<Uses>(() => ({}));

/**
 * Whether this is the first place on the page that shows the term. Only that one is marked: a page that marks every
 * occurrence is harder to read than one that marks none. When the first place leaves, the next one takes over.
 */
export function useIsFirstUse(name: TermName): boolean {
  const me = useId();
  useLayoutEffect(() => {
    useUses.setState((uses) => ({ [name]: [...(uses[name] ?? []), me] }));
    return () => {
      useUses.setState((uses) => ({ [name]: (uses[name] ?? []).filter((one) => one !== me) }));
    };
  }, [name, me]);
  return useUses((uses) => uses[name]?.[0] === me);
}
