import { useTranslation } from 'react-i18next';

import { FailOver } from '@/components/fail-over';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useLiveDatabase } from '@/hooks/use-live-database';
import { mirroringRole } from '@/live/mirroring-role';
import type { DatabasePath } from '@/topology/selection';

import { textCell, type RowProps } from '../row-paths';
import classes from './actions.module.css';

/** A failover of the pair that a mirrored route leads to, where the estate has it. */
export function MirrorActions({ row, read }: RowProps) {
  const { t } = useTranslation('operations');
  const { instances } = useEstatePage();
  const id = textCell(row, read, 'broker_instance').toLowerCase();
  const halves = instances
    .flatMap(({ name, databases }) =>
      databases.map(({ name: database, state, broker_instance: its }) => ({ instance: name, database, state, its })),
    )
    .filter(({ its }) => its.toLowerCase() === id)
    // That which is wanted as the copy last: it counts while nobody has told who is what.
    .toSorted((left, right) => Number(left.state === 'mirror') - Number(right.state === 'mirror'));
  const [one, other] = halves;
  return one === undefined || other === undefined ? (
    <p className={classes.bar}>{t('mirror.notHere')}</p>
  ) : (
    <Pair one={one} other={other} />
  );
}

/** It begins at the half that is principal now. */
function Pair({ one, other }: { one: DatabasePath; other: DatabasePath }) {
  const estate = useEstatePage();
  const roles = [mirroringRole(useLiveDatabase(one)), mirroringRole(useLiveDatabase(other))] as const;
  const isTurned = roles[0] === 'mirror' && roles[1] === 'principal';
  const [near, far] = isTurned ? [other, one] : [one, other];
  return (
    <div className={classes.bar}>
      <FailOver
        estate={estate.name}
        path={near}
        partner={far.instance}
        own={roles[isTurned ? 1 : 0]}
        far={roles[isTurned ? 0 : 1]}
      />
    </div>
  );
}
