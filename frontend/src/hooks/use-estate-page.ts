import { createContext, useContext } from 'react';

import type { Estate } from '@/contracts/api';

/** The estate on view, with edits that are on their way laid over it. */
export const EstateContext = createContext<Estate | null>(null);

export function useEstatePage(): Estate {
  const estate = useContext(EstateContext);
  if (estate === null) {
    throw new Error('useEstatePage stands outside of an estate page.');
  }
  return estate;
}
