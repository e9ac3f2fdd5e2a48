import { useCallback } from 'react';

import { useEstatePage } from '@/hooks/use-estate-page';

/** Which instances of the estate have the database of a broker id: of a mirrored one both. */
export function useInstancesOf(): (brokerId: string) => readonly string[] {
  const { instances } = useEstatePage();
  return useCallback(
    (brokerId: string) =>
      instances
        .filter(({ databases }) =>
          databases.some((database) => database.broker_instance.toLowerCase() === brokerId.toLowerCase()),
        )
        .map(({ name }) => name),
    [instances],
  );
}
