// The address of the T-SQL console, with a place and a script to begin with.
import { estateAddress } from './sandbox';

export type ScriptPlace = { instance: string; database: string };

export function sqlAddress(estate: string, { instance, database }: ScriptPlace, script?: string): string {
  const parameters = new URLSearchParams({ instance, database, ...(script === undefined ? {} : { script }) });
  return `${estateAddress(estate)}/sql?${parameters.toString()}`;
}
