import { UnstyledButton } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';

import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import type { Estate, Route } from '@/contracts/api';
import { useNow } from '@/hooks/use-now';
import { useMissingRight } from '@/hooks/use-rights';
import { useSelection } from '@/hooks/use-view-state';
import { absoluteTime } from '@/lib/time';
import { ageText, remainingText } from '@/live/age';
import { draftId } from '@/topology/draft-marks';
import { ids, principalOf } from '@/topology/graph';
import { databasesOfBroker } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { routeText } from '@/topology/tsql-text';

import { FindingsSection } from './findings-section';
import { InspectorFrame, type InspectorActions } from './inspector';
import classes from './inspector.module.css';

type Props = { estate: Estate; path: DatabasePath; route: Route; actions: InspectorActions; onClose: () => void };

/** A route: what it matches, where it leads, how long it lives. */
export function RouteInspector({ estate, path, route, actions, onClose }: Props) {
  const now = useNow();
  const missing = useMissingRight('edit');
  const isPending = estate.draft_objects.some((object) => draftId(object) === ids.route(path, route.name));
  return (
    <InspectorFrame
      kind="route"
      name={route.name}
      place={`${path.instance} · ${path.database}`}
      onClose={onClose}
      badges={
        <>
          {isPending ? (
            <Badge verdict="delayed">In the draft, not live yet</Badge>
          ) : route.is_expired ? (
            <Badge>Expired</Badge>
          ) : (
            <Badge verdict="delivered">In force</Badge>
          )}
          {route.mirror_address !== null && <Badge verdict="mirror">Mirrored</Badge>}
        </>
      }
      actions={
        <>
          <GuardedButton barred={missing} variant="default" leftSection={<IconPencil size={14} />} onClick={actions.onChangeRoute}>
            Change
          </GuardedButton>
          <GuardedButton barred={missing} variant="outline" color="red" leftSection={<IconTrash size={14} />} onClick={actions.onDeleteRoute}>
            Delete
          </GuardedButton>
        </>
      }
    >
      <FindingsSection about={{ kind: 'route', ...path, route: route.name }} />
      <Section title="Matches">
        <Facts>
          <Fact label="Service">
            {route.service_name === null ? 'Any service (∗)' : <CopyText value={route.service_name} what="service name" />}
          </Fact>
          <Fact label="Broker instance">
            {route.broker_instance === null ? 'Any' : <BrokerPlace estate={estate} brokerInstance={route.broker_instance} />}
          </Fact>
        </Facts>
      </Section>
      <Section title="Leads to">
        <Facts>
          <Fact label="Address">
            <CopyText value={route.address} what="address" />
            <Target instance={route.target_instance} kind={route.address_kind} />
          </Fact>
          {route.mirror_address !== null && (
            <Fact label="Mirror address">
              <CopyText value={route.mirror_address} what="mirror address" />
              <Target instance={route.mirror_target_instance} kind="tcp" />
            </Fact>
          )}
          {route.mirror_address !== null && <Fact label="Principal">{principalOf(estate, route) ?? 'Unknown'}</Fact>}
          <Fact label="Lifetime">
            <Lifetime expiresAt={route.expires_at} now={now} />
          </Fact>
        </Facts>
      </Section>
      <SqlSection text={routeText(path.database, route, new Date(now))} />
    </InspectorFrame>
  );
}

function Target({ instance, kind }: { instance: string | null; kind: Route['address_kind'] }) {
  const [, select] = useSelection();
  if (kind === 'local') {
    return <span className={classes.place2}>Delivers inside this instance</span>;
  }
  if (kind === 'transport') {
    return <span className={classes.place2}>The address stands at the start of each service name</span>;
  }
  if (instance === null) {
    return <span className={classes.place2}>No instance of this estate</span>;
  }
  return (
    <UnstyledButton
      className={classes.routeName}
      onClick={() => {
        select({ kind: 'instance', instance });
      }}
    >
      {instance}
    </UnstyledButton>
  );
}

function BrokerPlace({ estate, brokerInstance }: { estate: Estate; brokerInstance: string }) {
  const places = databasesOfBroker(estate, brokerInstance).map(({ instance, database }) => `${instance} · ${database}`);
  return (
    <>
      <CopyText value={brokerInstance} what="broker instance" />
      <span className={classes.place2}>{places.length === 0 ? 'No database of this estate' : places.join(' and ')}</span>
    </>
  );
}

function Lifetime({ expiresAt, now }: { expiresAt: string | null; now: number }) {
  if (expiresAt === null) {
    return 'Never expires';
  }
  const left = (Date.parse(expiresAt) - now) / 1000;
  return (
    <>
      {left > 0 ? `Expires in ${remainingText(left)}` : `Expired ${ageText(-left)} ago`}
      <span className={classes.place2}>{absoluteTime(Date.parse(expiresAt))}</span>
    </>
  );
}
