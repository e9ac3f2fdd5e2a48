import { Button, UnstyledButton } from '@mantine/core';
import { IconPlus, IconTerminal2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { SqlLink } from '@/components/sandbox/sql-link';
import { Badge } from '@/components/ui/badge';
import { BreakableName } from '@/components/ui/breakable-name';
import { CopyText } from '@/components/ui/copy-text';
import { GuardedButton } from '@/components/ui/guarded-button';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import { WhatIfLink } from '@/components/what-if/what-if-links';
import type { Database, Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useSandbox } from '@/hooks/use-sandbox';
import { useSelection } from '@/hooks/use-view-state';
import { i18n, numberText } from '@/i18n';
import { useLiveStore } from '@/lib/live-store';
import { gateDatabase } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { brokerSwitchText, databaseText, routeDraftText } from '@/topology/tsql-text';

import { BackupSection } from '../care/backup-section';
import { IdentityActions } from '../care/identity-actions';
import { MirroringSection } from '../care/mirroring-section';
import { QueueSection } from '../care/queue-section';
import { BrokerSwitch } from './broker-switch';
import { ConnectTo } from './connect-to';
import { FindingsSection } from './findings-section';
import { InspectorFrame, type InspectorActions } from './inspector';
import classes from './inspector.module.css';
import { RouteTable } from './route-table';

type Props = { estate: Estate; path: DatabasePath; database: Database; actions: InspectorActions; onClose: () => void };

/** A database: its broker identity, its services and queues, its own routing table. */
export function DatabaseInspector({ estate, path, database, actions, onClose }: Props) {
  const { t } = useTranslation('inspector');
  const [, select] = useSelection();
  const sandbox = useSandbox();
  const isGate = path.database === gateDatabase;
  const [first] = database.services;
  return (
    <InspectorFrame
      kind={isGate ? t('kind.gate') : t('kind.database')}
      name={path.database}
      place={path.instance}
      onClose={onClose}
      badges={
        <>
          <Badge verdict={database.is_broker_enabled ? 'delivered' : 'lost'}>
            {database.is_broker_enabled ? t('broker.isEnabled') : t('broker.isDisabled')}
          </Badge>
          <Badge verdict={database.state === 'mirror' ? 'mirror' : undefined}>{t(`state.${database.state}`)}</Badge>
        </>
      }
      actions={
        <>
          {sandbox === null ? (
            <EditButtons estate={estate} path={path} database={database} actions={actions} />
          ) : (
            <SqlButtons estate={estate.name} path={path} database={database} />
          )}
          {first !== undefined && <WhatIfLink estate={estate} from={{ ...path, service: first.name }} />}
          {sandbox === null && <BrokerSwitch estate={estate.name} path={path} isEnabled={database.is_broker_enabled} />}
        </>
      }
    >
      <FindingsSection about={{ kind: 'database', ...path }} />
      <Section title={t('identity')}>
        <Facts>
          <Fact label={t('brokerInstance')} term="brokerInstance">
            <CopyText value={database.broker_instance} what="broker instance" />
          </Fact>
        </Facts>
        {sandbox === null && <IdentityActions estate={estate} path={path} database={database} />}
      </Section>
      <MirroringSection estate={estate} path={path} database={database} />
      <LiveNumbers path={path} />
      {isGate && <p className={classes.filter}>{t('gate', { instance: path.instance })}</p>}
      <Section title={t('services', { count: database.services.length })} term="service">
        {database.services.length === 0 && <p className={classes.none}>{t('noServices')}</p>}
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
      <Section title={t('routes', { count: database.routes.length })} term="route">
        <RouteTable
          routes={database.routes.map((value) => ({ ...path, value }))}
          label={t('routesOf', { name: path.database })}
          showPlace={false}
        />
      </Section>
      {sandbox === null && (
        <BackupSection
          estate={estate}
          path={path}
          barsDetach={whyNoDetach(database, isGate)}
          onDetached={() => {
            select({ kind: 'instance', instance: path.instance });
          }}
        />
      )}
      <SqlSection text={databaseText(database)} />
    </InspectorFrame>
  );
}

type ButtonsProps = { estate: Estate; path: DatabasePath; database: Database; actions: InspectorActions };

function EditButtons({ estate, path, database, actions }: ButtonsProps) {
  const { t } = useTranslation('inspector');
  const missing = useMissingRight('edit');
  return (
    <>
      <GuardedButton
        barred={missing}
        leftSection={<IconPlus size={14} />}
        onClick={() => {
          actions.onAddRoute(path);
        }}
      >
        {t('addRoute')}
      </GuardedButton>
      <ConnectTo
        estate={estate}
        from={path}
        onChoose={(address) => {
          actions.onAddRoute(path, address);
        }}
      />
      {database.services.length > 0 && (
        <Button
          component={Link}
          variant="default"
          leftSection={<IconTerminal2 size={14} />}
          to={`/estates/${encodeURIComponent(estate.name)}/console?${new URLSearchParams({ at: `${encodeURIComponent(path.instance)}/${encodeURIComponent(path.database)}` }).toString()}`}
        >
          {t('openConsole')}
        </Button>
      )}
    </>
  );
}

/** In a sandbox definitions change by T-SQL: a new route, and the switch of the broker, written to be run. */
function SqlButtons({ estate, path, database }: { estate: string; path: DatabasePath; database: Database }) {
  const { t } = useTranslation('inspector');
  return (
    <>
      <SqlLink
        estate={estate}
        place={path}
        script={routeDraftText(path.database, null, null)}
        label={t('sandbox.addRoute')}
      />
      <SqlLink
        estate={estate}
        place={path}
        script={brokerSwitchText(database)}
        label={database.is_broker_enabled ? t('sandbox.brokerOff') : t('sandbox.brokerOn')}
      />
    </>
  );
}

function whyNoDetach(database: Database, isGate: boolean): string | null {
  if (isGate || database.name.toLowerCase() === 'master') {
    return i18n.t('inspector:belongs', { name: database.name });
  }
  return database.partner_address === null ? null : i18n.t('inspector:isMirrored', { name: database.name });
}

function LiveNumbers({ path }: { path: DatabasePath }) {
  const { t } = useTranslation('inspector');
  const view = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases.find((one) => one.name === path.database),
  );
  const numberOr = (count: number | undefined) => (count === undefined ? t('unknown') : numberText(count));
  return (
    <Section title={t('now')}>
      <Facts>
        <Fact label={t('toTransmit')} term="transmissionQueue">
          {numberOr(view?.transmission_queue_total)}
        </Fact>
        <Fact label={t('conversations')} term="conversation">
          {numberOr(view?.conversation_endpoints_total)}
        </Fact>
        <Fact label={t('inQueues')}>{numberOr(view?.ready)}</Fact>
      </Facts>
    </Section>
  );
}
