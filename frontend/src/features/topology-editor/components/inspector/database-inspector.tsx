import { Button, UnstyledButton } from '@mantine/core';
import { IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { Link } from 'react-router';

import { Badge } from '@/components/ui/badge';
import { BreakableName } from '@/components/ui/breakable-name';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import type { Database, Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useSelection } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';
import { gateDatabase } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { databaseText } from '@/topology/tsql-text';

import { BackupSection } from '../care/backup-section';
import { IdentityActions } from '../care/identity-actions';
import { MirroringSection } from '../care/mirroring-section';
import { QueueSection } from '../care/queue-section';
import { BrokerSwitch } from './broker-switch';
import { FindingsSection } from './findings-section';
import { InspectorFrame, type InspectorActions } from './inspector';
import classes from './inspector.module.css';
import { RouteTable } from './route-table';

type Props = { estate: Estate; path: DatabasePath; database: Database; actions: InspectorActions; onClose: () => void };

const states: Record<Database['state'], string> = {
  online: 'Online',
  read_only: 'Read-only',
  single_user: 'Single-user',
  mirror: 'Mirror copy',
  offline: 'Offline',
};

/** A database: its broker identity, its services and queues, its own routing table. */
export function DatabaseInspector({ estate, path, database, actions, onClose }: Props) {
  const [, select] = useSelection();
  const missing = useMissingRight('edit');
  const isGate = path.database === gateDatabase;
  return (
    <InspectorFrame
      kind={isGate ? 'database, the gate of its instance' : 'database'}
      name={path.database}
      place={path.instance}
      onClose={onClose}
      badges={
        <>
          <Badge verdict={database.is_broker_enabled ? 'delivered' : 'lost'}>
            Broker {database.is_broker_enabled ? 'enabled' : 'disabled'}
          </Badge>
          <Badge verdict={database.state === 'mirror' ? 'mirror' : undefined}>{states[database.state]}</Badge>
        </>
      }
      actions={
        <>
          <GuardedButton
            barred={missing}
            leftSection={<IconPlus size={14} />}
            onClick={() => {
              actions.onAddRoute(path);
            }}
          >
            Add route
          </GuardedButton>
          {database.services.length > 0 && (
            <Button
              component={Link}
              variant="default"
              leftSection={<IconTerminal2 size={14} />}
              to={`/estates/${encodeURIComponent(estate.name)}/console?${new URLSearchParams({ at: `${encodeURIComponent(path.instance)}/${encodeURIComponent(path.database)}` }).toString()}`}
            >
              Open console
            </Button>
          )}
          <BrokerSwitch estate={estate.name} path={path} isEnabled={database.is_broker_enabled} />
        </>
      }
    >
      <FindingsSection about={{ kind: 'database', ...path }} />
      <Section title="Identity">
        <Facts>
          <Fact label="Broker instance">
            <CopyText value={database.broker_instance} what="broker instance" />
          </Fact>
        </Facts>
        <IdentityActions estate={estate} path={path} database={database} />
      </Section>
      <MirroringSection estate={estate} path={path} database={database} />
      <LiveNumbers path={path} />
      {isGate && (
        <p className={classes.filter}>Messages that arrive at {path.instance} from the network are routed by the table below.</p>
      )}
      <Section title={`Services (${database.services.length})`}>
        {database.services.length === 0 && <p className={classes.none}>No services.</p>}
        <ul className={classes.list}>
          {database.services.map((service) => (
            <li key={service.name}>
              <UnstyledButton
                className={classes.item}
                onClick={() => {
                  select({ kind: 'service', ...path, service: service.name });
                }}
              >
                <span className={classes.mono}>
                  <BreakableName>{service.name}</BreakableName>
                </span>
                <span className={classes.aside}>{service.queue}</span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </Section>
      <QueueSection estate={estate.name} path={path} database={database} />
      <Section title={`Routes (${database.routes.length})`}>
        <RouteTable routes={database.routes.map((value) => ({ ...path, value }))} label={`Routes of ${path.database}`} showPlace={false} />
      </Section>
      <BackupSection
        estate={estate}
        path={path}
        barsDetach={whyNoDetach(database, isGate)}
        onDetached={() => {
          select({ kind: 'instance', instance: path.instance });
        }}
      />
      <SqlSection text={databaseText(database)} />
    </InspectorFrame>
  );
}

function whyNoDetach(database: Database, isGate: boolean): string | null {
  if (isGate || database.name.toLowerCase() === 'master') {
    return `${database.name} belongs to its instance (3708).`;
  }
  return database.partner_address === null ? null : `${database.name} is mirrored: take its partner away first (3743).`;
}

function LiveNumbers({ path }: { path: DatabasePath }) {
  const view = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases.find((one) => one.name === path.database),
  );
  return (
    <Section title="Now">
      <Facts>
        <Fact label="To transmit">{view?.transmission_queue_total.toLocaleString('en') ?? 'Unknown'}</Fact>
        <Fact label="Conversations">{view?.conversation_endpoints_total.toLocaleString('en') ?? 'Unknown'}</Fact>
        <Fact label="In queues">
          {view?.queues.reduce((sum, queue) => sum + queue.ready + queue.disabled, 0).toLocaleString('en') ?? 'Unknown'}
        </Fact>
      </Facts>
    </Section>
  );
}
