import { Button } from '@mantine/core';
import { IconTerminal2 } from '@tabler/icons-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { QueueNotice } from '@/components/queue-notice';
import { BreakableName } from '@/components/ui/breakable-name';
import { CopyText } from '@/components/ui/copy-text';
import { Fact, Facts, Section } from '@/components/ui/section';
import { SqlSection } from '@/components/ui/sql-text';
import { WhatIfLink } from '@/components/what-if/what-if-links';
import type { Estate, Service } from '@/contracts/api';
import { useSandbox } from '@/hooks/use-sandbox';
import { useLiveStore } from '@/lib/live-store';
import { everyRoute, findDatabase, isQueueWanted } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { serviceText } from '@/topology/tsql-text';

import { FindingsSection } from './findings-section';
import { InspectorFrame } from './inspector';
import classes from './inspector.module.css';
import { RouteTable } from './route-table';
import { SendPermissions } from './send-permissions';

type Props = { estate: Estate; path: DatabasePath; service: Service; onClose: () => void };

/** A service: its queue, its contracts, and the routes that name it. */
export function ServiceInspector({ estate, path, service, onClose }: Props) {
  const { t } = useTranslation(['inspector', 'common']);
  const queue = useLiveStore((store) =>
    store.live.instances[path.instance]?.view?.databases
      .find((one) => one.name === path.database)
      ?.queues?.find((one) => one.name === service.queue),
  );
  const sandbox = useSandbox();
  const routes = everyRoute(estate).filter(({ value }) => value.service_name === service.name);
  const console = new URLSearchParams({
    at: `${encodeURIComponent(path.instance)}/${encodeURIComponent(path.database)}`,
    from: service.name,
  });
  return (
    <InspectorFrame
      kind={t('kind.service')}
      name={service.name}
      place={`${path.instance} · ${path.database}`}
      onClose={onClose}
      actions={
        <>
          {sandbox === null && (
            <Button
              component={Link}
              variant="default"
              leftSection={<IconTerminal2 size={14} />}
              to={`/estates/${encodeURIComponent(estate.name)}/console?${console.toString()}`}
            >
              {t('service.begin')}
            </Button>
          )}
          <WhatIfLink estate={estate} from={{ ...path, service: service.name }} />
          <WhatIfLink estate={estate} to={service.name} />
        </>
      }
    >
      <FindingsSection about={{ kind: 'service', ...path, service: service.name }} />
      <Section title={t('identity')}>
        <Facts>
          <Fact label={t('service.name')}>
            <CopyText value={service.name} what="service name" />
          </Fact>
          <Fact label={t('service.queue')} term="queue">
            {service.queue}
          </Fact>
        </Facts>
      </Section>
      <Section title={t('now')}>
        <Facts>
          <Fact label={t('service.ready')}>
            {queue === undefined ? t('unknown') : t('common:messages', { count: queue.ready })}
          </Fact>
          {queue !== undefined && queue.disabled > 0 && (
            <Fact label={t('service.early')}>{t('service.earlyCount', { count: queue.disabled })}</Fact>
          )}
          <Fact label={t('service.queueState')}>
            {queue === undefined ? t('unknown') : queue.is_enabled ? t('service.on') : t('service.off')}
          </Fact>
        </Facts>
        {queue !== undefined && (
          <QueueNotice
            estate={estate.name}
            path={path}
            queue={queue}
            isWanted={isQueueWanted(estate, path, service.queue)}
          />
        )}
      </Section>
      <Section title={t('service.accepts')} term="contract">
        {service.contracts.length === 0 && <p className={classes.none}>{t('service.noContract')}</p>}
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
      <Section title={t('service.naming')}>
        <RouteTable routes={routes} label={t('routesFor', { name: service.name })} showPlace />
      </Section>
      <SqlSection text={serviceText(path.database, service)} />
    </InspectorFrame>
  );
}
