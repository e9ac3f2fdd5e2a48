import { useCallback } from 'react';

import { useEstatePage } from '@/hooks/use-estate-page';

/** Which instance of the estate has the database of a broker id. */
export function useInstanceOf(): (brokerId: string) => string | undefined {
  const { instances } = useEstatePage();
  return useCallback(
    (brokerId: string) =>
      instances.find(({ databases }) =>
        databases.some((database) => database.broker_instance.toLowerCase() === brokerId.toLowerCase()),
      )?.name,
    [instances],
  );
}
