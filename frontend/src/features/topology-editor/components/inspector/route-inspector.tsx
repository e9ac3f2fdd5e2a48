import { UnstyledButton } from '@mantine/core';
import { IconPencil, IconTrash } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { SqlLink } from '@/components/sandbox/sql-link';
import { Badge } from '@/components/ui/badge';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import { WhatIfLink } from '@/components/what-if/what-if-links';
import type { Estate, Route } from '@/contracts/api';
import { useRouteUse } from '@/hooks/use-route-use';
import { useMissingRight } from '@/hooks/use-rights';
import { useSandbox, useShownNow } from '@/hooks/use-sandbox';
import { useSelection } from '@/hooks/use-view-state';
import { useAbsoluteTime } from '@/lib/time';
import { ageText, remainingText } from '@/live/age';
import type { RouteUse } from '@/live/summary';
import { draftId } from '@/topology/draft-marks';
import { ids, principalOf } from '@/topology/graph';
import { databasesOfBroker, findDatabase } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { routeChangeText, routeText } from '@/topology/tsql-text';

import { FindingsSection } from './findings-section';
import { InspectorFrame, type InspectorActions } from './inspector';
import classes from './inspector.module.css';
import { RouteTraffic } from './route-traffic';

type Props = { estate: Estate; path: DatabasePath; route: Route; actions: InspectorActions; onClose: () => void };

/** A route: what it matches, where it leads, how long it lives. */
export function RouteInspector({ estate, path, route, actions, onClose }: Props) {
  const { t } = useTranslation('inspector');
  const now = useShownNow();
  const sandbox = useSandbox();
  const use = useRouteUse(estate.name, path, route.name);
  // Senders of this database take its routes.
  const [sender] = findDatabase(estate, path)?.services ?? [];
  const isPending = estate.draft_objects.some((object) => draftId(object) === ids.route(path, route.name));
  return (
    <InspectorFrame
      kind={t('kind.route')}
      name={route.name}
      place={`${path.instance} · ${path.database}`}
      onClose={onClose}
      badges={
        <>
          {isPending ? (
            <Badge verdict="delayed">{t('route.pending')}</Badge>
          ) : route.is_expired ? (
            <Badge>{t('route.expired')}</Badge>
          ) : (
            <TrafficBadge use={use} />
          )}
          {route.mirror_address !== null && <Badge verdict="mirror">{t('route.mirrored')}</Badge>}
        </>
      }
      actions={
        <>
          {sandbox === null ? (
            <EditButtons actions={actions} />
          ) : (
            <SqlLink estate={estate.name} place={path} script={routeChangeText(path.database, route, new Date(now))} />
          )}
          {route.service_name !== null && (
            <WhatIfLink
              estate={estate}
              {...(sender === undefined ? {} : { from: { ...path, service: sender.name } })}
              to={route.service_name}
              id={route.broker_instance}
            />
          )}
        </>
      }
    >
      <FindingsSection about={{ kind: 'route', ...path, route: route.name }} />
      {use !== undefined && <RouteTraffic estate={estate} path={path} route={route} use={use} />}
      <Section title={t('route.matches')}>
        <Facts>
          <Fact label={t('route.service')}>
            {route.service_name === null ? (
              t('route.anyService')
            ) : (
              <CopyText value={route.service_name} what="service name" />
            )}
          </Fact>
          <Fact label={t('brokerInstance')} term="brokerInstance">
            {route.broker_instance === null ? (
              t('route.any')
            ) : (
              <BrokerPlace estate={estate} brokerInstance={route.broker_instance} />
            )}
          </Fact>
        </Facts>
      </Section>
      <Section title={t('route.leads')}>
        <Facts>
          <Fact label={t('address')}>
            <CopyText value={route.address} what="address" />
            <Target instance={route.target_instance} kind={route.address_kind} />
          </Fact>
          {route.mirror_address !== null && (
            <Fact label={t('route.mirrorAddress')} term="mirrorAddress">
              <CopyText value={route.mirror_address} what="mirror address" />
              <Target instance={route.mirror_target_instance} kind="tcp" />
            </Fact>
          )}
          {route.mirror_address !== null && (
            <Fact label={t('route.principal')} term="principal">
              {principalOf(estate, route) ?? t('unknown')}
            </Fact>
          )}
          <Fact label={t('route.lifetime')}>
            <Lifetime expiresAt={route.expires_at} now={now} />
          </Fact>
        </Facts>
      </Section>
      <SqlSection text={routeText(path.database, route, new Date(now))} />
    </InspectorFrame>
  );
}

/** Green only for a route over which messages arrived and none waits for a reason that has a number. */
function TrafficBadge({ use }: { use: RouteUse | null | undefined }) {
  const { t } = useTranslation('inspector');
  if (use === undefined || use === null) {
    return <Badge>{t('route.inForce')}</Badge>;
  }
  return use.blocked > 0 ? (
    <Badge verdict="lost">{t('route.blocked', { count: use.blocked, number: use.number ?? 0 })}</Badge>
  ) : (
    <Badge verdict={use.messages === 0 && use.delivered > 0 ? 'delivered' : undefined}>{t('route.inForce')}</Badge>
  );
}

function EditButtons({ actions }: { actions: InspectorActions }) {
  const { t } = useTranslation('inspector');
  const missing = useMissingRight('edit');
  return (
    <>
      <GuardedButton
        barred={missing}
        variant="default"
        leftSection={<IconPencil size={14} />}
        onClick={actions.onChangeRoute}
      >
        {t('route.change')}
      </GuardedButton>
      <GuardedButton
        barred={missing}
        variant="outline"
        color="red"
        leftSection={<IconTrash size={14} />}
        onClick={actions.onDeleteRoute}
      >
        {t('route.delete')}
      </GuardedButton>
    </>
  );
}

function Target({ instance, kind }: { instance: string | null; kind: Route['address_kind'] }) {
  const { t } = useTranslation('inspector');
  const [, select] = useSelection();
  if (kind === 'local') {
    return <span className={classes.place2}>{t('route.local')}</span>;
  }
  if (kind === 'transport') {
    return <span className={classes.place2}>{t('route.transport')}</span>;
  }
  if (instance === null) {
    return <span className={classes.place2}>{t('noInstance')}</span>;
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
  const { t } = useTranslation('inspector');
  const places = databasesOfBroker(estate, brokerInstance).map(({ instance, database }) => `${instance} · ${database}`);
  return (
    <>
      <CopyText value={brokerInstance} what="broker instance" />
      <span className={classes.place2}>{places.length === 0 ? t('route.noDatabase') : places.join(', ')}</span>
    </>
  );
}

function Lifetime({ expiresAt, now }: { expiresAt: string | null; now: number }) {
  const { t } = useTranslation('inspector');
  const timeText = useAbsoluteTime();
  if (expiresAt === null) {
    return t('route.never');
  }
  const left = (Date.parse(expiresAt) - now) / 1000;
  return (
    <>
      {left > 0 ? t('route.expiresIn', { age: remainingText(left) }) : t('route.expiredAgo', { age: ageText(-left) })}
      <span className={classes.place2}>{timeText(Date.parse(expiresAt))}</span>
    </>
  );
}
