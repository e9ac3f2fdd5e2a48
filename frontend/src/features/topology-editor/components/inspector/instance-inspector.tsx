import { Button, UnstyledButton } from '@mantine/core';
import { IconDatabase, IconShieldLock } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';

import { EndpointSwitch } from '@/components/endpoint-switch';
import { SqlLink } from '@/components/sandbox/sql-link';
import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import type { Estate, Instance } from '@/contracts/api';
import { useFollowed } from '@/hooks/use-topics';
import { useMissingRight } from '@/hooks/use-rights';
import { useSandbox, useShownNow } from '@/hooks/use-sandbox';
import { useSelection } from '@/hooks/use-view-state';
import { useLiveStore } from '@/lib/live-store';
import { instanceHealth } from '@/live/health';
import { isBehind, routesTo } from '@/topology/lookup';
import { certificateHealth } from '@/topology/trust';
import { endpointChangeText, endpointText } from '@/topology/tsql-text';

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
  const { t } = useTranslation('inspector');
  const [, select] = useSelection();
  useFollowed(estate.name, ['connections']);
  const live = useLiveStore((store) => store.live.instances[instance.name]);
  const health = instanceHealth(instance.name, live);
  const endpoint = instance.endpoint;
  const text = endpointText(instance);
  const sandbox = useSandbox();
  const change = endpointChangeText(instance);
  const certificate = useCertificateHealth(instance);
  const { isFolded } = useFolding(estate);
  return (
    <InspectorFrame
      kind={t('kind.instance')}
      name={instance.name}
      onClose={onClose}
      badges={
        <>
          <Badge verdict={health.verdict}>
            {endpoint === null ? t('endpoint.none') : t('endpoint.state', { state: endpoint.state })}
          </Badge>
          {endpoint?.is_message_forwarding_enabled === true && (
            <Badge verdict="forwarded">{t('endpoint.forwards')}</Badge>
          )}
          {certificate !== null && certificate.verdict !== 'delivered' && (
            <Badge verdict={certificate.verdict}>{t('endpoint.certificate', { state: certificate.text })}</Badge>
          )}
          {isBehind(instance) && (
            <Badge verdict={instance.apply_error === '' ? 'delayed' : 'error'}>
              {t('behind', { desired: instance.desired_revision, applied: instance.applied_revision })}
            </Badge>
          )}
        </>
      }
      actions={
        <>
          {sandbox === null ? (
            <EndpointButtons estate={estate.name} instance={instance} onChange={actions.onChangeEndpoint} />
          ) : (
            change !== null && (
              <SqlLink
                estate={estate.name}
                place={{ instance: instance.name, database: 'master' }}
                script={change}
                label={t('sandbox.endpoint')}
                size="xs"
              />
            )
          )}
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              turnInstance(estate, instance.name);
            }}
          >
            {isFolded(instance.name) ? t('unfold') : t('fold')}
          </Button>
        </>
      }
    >
      <FindingsSection about={{ kind: 'instance', instance: instance.name }} />
      <Section title={t('stateHeading')}>
        <p className={classes.callout}>{health.text}.</p>
        {instance.apply_error !== '' && <p className={classes.callout}>{instance.apply_error}</p>}
        <Facts>
          <Fact label={t('port')}>{endpoint?.port ?? t('none')}</Fact>
          <Fact label={t('hostNames')}>
            {[...new Set([instance.name.toLowerCase(), ...instance.host_names])].join(', ')}
          </Fact>
          {endpoint?.is_message_forwarding_enabled === true && (
            <Fact label={t('transit')} term="forwarding">
              {live?.view
                ? t('transitCount', {
                    count: live.view.forwarding_messages,
                    megabytes: endpoint.message_forward_size_megabytes,
                  })
                : t('transitUnknown', { megabytes: endpoint.message_forward_size_megabytes })}
            </Fact>
          )}
        </Facts>
      </Section>
      {endpoint !== null && <ConnectionTrust estate={estate.name} instance={instance.name} endpoint={endpoint} />}
      <Section title={t('databases')}>
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
                  {t('counts', { services: database.services.length, routes: database.routes.length })}
                </span>
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </Section>
      <LiveConnections live={live} />
      <Section title={t('leadHere')}>
        <RouteTable routes={routesTo(estate, instance.name)} label={t('routesTo', { name: instance.name })} showPlace />
      </Section>
      {text !== null && <SqlSection text={text} />}
    </InspectorFrame>
  );
}

function useCertificateHealth(instance: Instance) {
  const now = useShownNow();
  const certificate = instance.endpoint?.trust.certificate ?? null;
  return certificate === null ? null : certificateHealth(certificate, now);
}

type ButtonsProps = { estate: string; instance: Instance; onChange: () => void };

function EndpointButtons({ estate, instance, onChange }: ButtonsProps) {
  const { t } = useTranslation('inspector');
  const missing = useMissingRight('edit');
  return (
    <>
      <GuardedButton
        barred={instance.endpoint === null ? t('endpoint.missing', { name: instance.name }) : missing}
        size="xs"
        variant="default"
        leftSection={<IconShieldLock size={14} />}
        onClick={onChange}
      >
        {t('endpoint.change')}
      </GuardedButton>
      <EndpointSwitch estate={estate} instance={instance} />
    </>
  );
}
