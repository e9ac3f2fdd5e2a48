import { Button } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { Link } from 'react-router';

import { BreakableName } from '@/components/ui/breakable-name';
import { CopyText } from '@/components/ui/copy-text';
import { QueueNotice } from '@/components/queue-notice';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import type { Estate, Service } from '@/contracts/api';
import { useLiveStore } from '@/lib/live-store';
import { everyRoute, findDatabase, isQueueWanted } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { serviceText } from '@/topology/tsql-text';
import { counted } from '@/topology/words';

import { FindingsSection } from './findings-section';
import { InspectorFrame } from './inspector';
import classes from './inspector.module.css';
import { RouteTable } from './route-table';
import { SendPermissions } from './send-permissions';

type Props = { estate: Estate; path: DatabasePath; service: Service; onClose: () => void };

/** A service: its queue, its contracts, and the routes that name it. */
export function ServiceInspector({ estate, path, service, onClose }: Props) {
  const queue = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases
      .find((one) => one.name === path.database)
      ?.queues.find((one) => one.name === service.queue),
  );
  const routes = everyRoute(estate).filter(({ value }) => value.service_name === service.name);
  const console = new URLSearchParams({
    at: `${encodeURIComponent(path.instance)}/${encodeURIComponent(path.database)}`,
    from: service.name,
  });
  return (
    <InspectorFrame
      kind="service"
      name={service.name}
      place={`${path.instance} · ${path.database}`}
      onClose={onClose}
      actions={
        <Button
          component={Link}
          variant="default"
          leftSection={<IconTerminal2 size={14} />}
          to={`/estates/${encodeURIComponent(estate.name)}/console?${console.toString()}`}
        >
          Begin a dialog from here
        </Button>
      }
    >
      <FindingsSection about={{ kind: 'service', ...path, service: service.name }} />
      <Section title="Identity">
        <Facts>
          <Fact label="Name">
            <CopyText value={service.name} what="service name" />
          </Fact>
          <Fact label="Queue">{service.queue}</Fact>
        </Facts>
      </Section>
      <Section title="Now">
        <Facts>
          <Fact label="Ready">{queue === undefined ? 'Unknown' : counted(queue.ready, 'message')}</Fact>
          {queue !== undefined && queue.disabled > 0 && (
            <Fact label="Early">{counted(queue.disabled, 'message')} before an earlier one</Fact>
          )}
          <Fact label="Queue state">{queue === undefined ? 'Unknown' : queue.is_enabled ? 'Enabled' : 'Disabled'}</Fact>
        </Facts>
        {queue !== undefined && <QueueNotice estate={estate.name} path={path} queue={queue} isWanted={isQueueWanted(estate, path, service.queue)} />}
      </Section>
      <Section title="Accepts as target">
        {service.contracts.length === 0 && <p className={classes.none}>No contract: it can begin dialogs, not be their target.</p>}
        <ul className={classes.list}>
          {service.contracts.map((contract) => (
            <li key={contract} className={classes.item}>
              <span className={classes.mono}>
                <BreakableName>{contract}</BreakableName>
              </span>
            </li>
          ))}
        </ul>
      </Section>
      <SendPermissions
        estate={estate.name}
        path={path}
        service={service}
        users={findDatabase(estate, path)?.users ?? []}
      />
      <Section title="Routes that name it">
        <RouteTable routes={routes} label={`Routes for ${service.name}`} showPlace />
      </Section>
      <SqlSection text={serviceText(path.database, service)} />
    </InspectorFrame>
  );
}
