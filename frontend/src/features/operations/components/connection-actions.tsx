import { EndpointSwitch } from '@/components/endpoint-switch';
import { useEstatePage } from '@/hooks/use-estate-page';

import { textCell, type RowProps } from '../row-paths';
import classes from './actions.module.css';

/** The endpoints at both ends of a connection, as far as they are of this estate. */
export function ConnectionActions({ row, read }: RowProps) {
  const estate = useEstatePage();
  const names = [row.instance, textCell(row, read, 'peer_instance')];
  return (
    <div className={classes.bar}>
      {estate.instances
        .filter(({ name }) => names.includes(name))
        .map((instance) => (
          <EndpointSwitch key={instance.name} estate={estate.name} instance={instance} size="compact-sm" isNamed />
        ))}
    </div>
  );
}
