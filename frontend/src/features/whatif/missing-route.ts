// Where a route is missing, and the form that makes one there.
import type { Estate, LegKind, ToldAnswer, ToldHop } from '@/contracts/api';
import { addressOfService } from '@/topology/suggestions';
import { isSandbox } from '@/topology/sandbox';
import { formatSelection } from '@/topology/selection';
import { sqlAddress } from '@/topology/sql-address';
import { routeDraftText } from '@/topology/tsql-text';

import { soughtOn } from './words';

/**
 * The address of the form for a route that this decision lacks, or, in a sandbox, of its statement; null where it lacks
 * none.
 */
export function missingRouteAddress(estate: Estate, answer: ToldAnswer, leg: LegKind, hop: ToldHop): string | null {
  const { instance, table, classification, route, match_step: step } = hop;
  const isMissing = (classification === 'delayed' || classification === 'dropped') && route === null && step !== null;
  if (!isMissing || step === 0 || step === 4) {
    return null;
  }
  const service = soughtOn(answer, leg);
  const address = addressOfService(estate, instance, service);
  if (isSandbox(estate.name)) {
    return sqlAddress(estate.name, { instance, database: table }, routeDraftText(table, service, address));
  }
  const parameters = new URLSearchParams({
    select: formatSelection({ kind: 'database', instance, database: table }),
    edit: 'add',
    for: service,
    ...(address === null ? {} : { to: address }),
    ...(estate.change_set === null ? {} : { draft: String(estate.change_set.number) }),
  });
  return `/estates/${encodeURIComponent(estate.name)}/topology?${parameters.toString()}`;
}
