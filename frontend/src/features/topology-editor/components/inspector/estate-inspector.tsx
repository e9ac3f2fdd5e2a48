import { TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';

import { Fact, Facts, Section } from '@/components/ui/section';
import type { Estate } from '@/contracts/api';
import { useTypedParameter } from '@/hooks/use-view-state';
import { everyRoute, everyService } from '@/topology/lookup';
import { matches } from '@/topology/words';

import { KeySuiteForm } from '../care/key-suite-form';
import { InspectorFrame } from './inspector';
import { RouteTable } from './route-table';

/** The estate as a whole, with every route it has. */
export function EstateInspector({ estate }: { estate: Estate }) {
  const [filter, setFilter] = useTypedParameter('find');
  const routes = everyRoute(estate);
  const found = routes.filter(({ instance, database, value }) =>
    matches(filter, [instance, database, value.name, value.service_name ?? '', value.address, value.mirror_address ?? '']),
  );
  const expired = routes.filter(({ value }) => value.is_expired).length;
  return (
    <InspectorFrame kind="estate" name={estate.name}>
      <Section title="What it has">
        <Facts>
          <Fact label="Instances">{estate.instances.length}</Fact>
          <Fact label="Services">{everyService(estate).length}</Fact>
          <Fact label="Routes">
            {routes.length}
            {expired > 0 && `, ${expired} of them expired`}
          </Fact>
          <Fact label="Mirrored pairs">
            {estate.mirrors.length === 0
              ? 'None'
              : estate.mirrors.map((mirror) => `${mirror.database} on ${mirror.instances.join(' and ')}`).join('; ')}
          </Fact>
          <Fact label="Pace">
            {estate.pace === 1 ? 'As documented' : `Waiting times are ${estate.pace} times shorter than documented`}
          </Fact>
        </Facts>
      </Section>
      <KeySuiteForm estate={estate} />
      <Section title={filter === '' ? `Routes (${routes.length})` : `Routes (${found.length} of ${routes.length})`}>
        <TextInput
          size="xs"
          mb={8}
          leftSection={<IconSearch size={14} />}
          placeholder="Find a route by name, service or address"
          aria-label="Find a route"
          value={filter}
          onChange={(event) => {
            setFilter(event.currentTarget.value);
          }}
        />
        <RouteTable routes={found} label="Routes of the estate" showPlace />
      </Section>
    </InspectorFrame>
  );
}
