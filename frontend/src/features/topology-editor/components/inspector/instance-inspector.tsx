import { Button, UnstyledButton } from '@mantine/core';
import { IconDatabase, IconShieldLock } from '@tabler/icons-react';

import { EndpointSwitch } from '@/components/endpoint-switch';
import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import type { Estate, Instance } from '@/contracts/api';
import { useNow } from '@/hooks/use-now';
import { useMissingRight } from '@/hooks/use-rights';
import { useSelection } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';
import { instanceHealth } from '@/live/health';
import { isBehind, routesTo } from '@/topology/lookup';
import { certificateHealth } from '@/topology/trust';
import { endpointText } from '@/topology/tsql-text';
import { counted } from '@/topology/words';

import { turnInstance, useFolding } from '../../hooks/use-folding';
import { ConnectionTrust } from './connection-trust';
import { FindingsSection } from './findings-section';
import { InspectorFrame, type InspectorActions } from './inspector';
import classes from './inspector.module.css';
import { LiveConnections } from './live-connections';
import { RouteTable } from './route-table';

type Props = { estate: Estate; instance: Instance; actions: InspectorActions; onClose: () => void };

/** An instance: its endpoint, its databases, who routes to it, and what it is doing now. */
export function InstanceInspector({ estate, instance, actions, onClose }: Props) {
  const [, select] = useSelection();
  const live = useLiveStore((store) => store.live.instances[instance.name]);
  const health = instanceHealth(instance.name, live);
  const endpoint = instance.endpoint;
  const text = endpointText(instance);
  const missing = useMissingRight('edit');
  const certificate = useCertificateHealth(instance);
  const { isFolded } = useFolding(estate);
  return (
    <InspectorFrame
      kind="instance"
      name={instance.name}
      onClose={onClose}
      badges={
        <>
          <Badge verdict={health.verdict}>{endpoint === null ? 'No endpoint' : `Endpoint ${endpoint.state.toLowerCase()}`}</Badge>
          {endpoint?.is_message_forwarding_enabled === true && <Badge verdict="forwarded">Forwards messages</Badge>}
          {certificate !== null && certificate.verdict !== 'delivered' && (
            <Badge verdict={certificate.verdict}>Certificate: {certificate.text.toLowerCase()}</Badge>
          )}
          {isBehind(instance) && (
            <Badge verdict={instance.apply_error === '' ? 'delayed' : 'error'}>
              Revision {instance.desired_revision} wanted, {instance.applied_revision} applied
            </Badge>
          )}
        </>
      }
      actions={
        <>
          <GuardedButton
            barred={endpoint === null ? `${instance.name} has no broker endpoint.` : missing}
            size="xs"
            variant="default"
            leftSection={<IconShieldLock size={14} />}
            onClick={actions.onChangeEndpoint}
          >
            Change security
          </GuardedButton>
          <EndpointSwitch estate={estate.name} instance={instance} />
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              turnInstance(estate, instance.name);
            }}
          >
            {isFolded(instance.name) ? 'Unfold' : 'Fold'}
          </Button>
        </>
      }
    >
      <FindingsSection about={{ kind: 'instance', instance: instance.name }} />
      <Section title="State">
        <p className={classes.callout}>{health.text}.</p>
        {instance.apply_error !== '' && <p className={classes.callout}>{instance.apply_error}</p>}
        <Facts>
          <Fact label="Port">{endpoint?.port ?? 'None'}</Fact>
          <Fact label="Host names">{[...new Set([instance.name.toLowerCase(), ...instance.host_names])].join(', ')}</Fact>
          {endpoint?.is_message_forwarding_enabled === true && (
            <Fact label="In transit">
              {live?.view ? counted(live.view.forwarding_messages, 'message') : 'Unknown'}, up to{' '}
              {endpoint.message_forward_size_megabytes} MB
            </Fact>
          )}
        </Facts>
      </Section>
      {endpoint !== null && <ConnectionTrust estate={estate.name} instance={instance.name} endpoint={endpoint} />}
      <Section title="Databases">
        <ul className={classes.list}>
          {instance.databases.map((database) => (
            <li key={database.name}>
              <UnstyledButton
                className={classes.item}
                onClick={() => {
                  select({ kind: 'database', instance: instance.name, database: database.name });
                }}
              >
                <IconDatabase size={15} />
                <span className={classes.mono}>{database.name}</span>
                <span className={classes.aside}>
                  {counted(database.services.length, 'service')}, {counted(database.routes.length, 'route')}
                </span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </Section>
      <LiveConnections live={live} />
      <Section title="Routes that lead here">
        <RouteTable routes={routesTo(estate, instance.name)} label={`Routes to ${instance.name}`} showPlace />
      </Section>
      {text !== null && <SqlSection text={text} />}
    </InspectorFrame>
  );
}

function useCertificateHealth(instance: Instance) {
  const now = useNow();
  const certificate = instance.endpoint?.trust.certificate ?? null;
  return certificate === null ? null : certificateHealth(certificate, now);
}
