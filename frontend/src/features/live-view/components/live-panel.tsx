import { ActionIcon, Button, Group, Select, Tabs, TextInput } from '@mantine/core';
import { IconPlayerPause, IconPlayerPlay, IconSearch } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Explained } from '@/components/glossary/explained';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useFollowed } from '@/hooks/use-topics';
import { useParameter } from '@/hooks/use-view-state';
import { numberText } from '@/i18n';
import type { TermName } from '@/i18n/terms';
import { useLiveStore } from '@/lib/live-store';
import { livenessOf } from '@/live/liveness';

import { useLiveTables, type LivePicture } from '../use-live-tables';
import { InstanceStrip } from './instance-strip';
import classes from './live-panel.module.css';
import { LiveTable, type TableName } from './panel-table';

const tables: readonly TableName[] = ['transmission', 'conversations', 'queues', 'connections'];

const meant: Readonly<Record<TableName, TermName>> = {
  transmission: 'transmissionQueue',
  conversations: 'conversation',
  queues: 'queue',
  connections: 'endpoint',
};

/** The rows of every instance as they are now. `aside` is what the place it stands in adds to its bar. */
export function LivePanel({ aside }: { aside?: ReactNode }) {
  const { t } = useTranslation('live');
  const estate = useEstatePage();
  const picture = useLiveTables();
  const [table, setTable] = useParameter('table');
  const [filter, setFilter] = useParameter('filter');
  const [only, setOnly] = useParameter('only');
  const names = estate.instances.map((instance) => instance.name);
  useFollowed(estate.name, ['transmissions', 'conversations', 'queues', 'connections']);
  const liveness = useLiveStore((store) => livenessOf(store, names));
  const chosen = tables.find((name) => name === table) ?? 'transmission';
  return (
    <Tabs value={chosen} onChange={setTable} className={classes.panel} keepMounted={false} variant="none">
      <div className={classes.bar}>
        <Tabs.List className={classes.tabs} aria-label={t('tables.label')}>
          {tables.map((name) => (
            <Explained key={name} name={meant[name]}>
              <Tabs.Tab value={name} className={classes.tab ?? ''}>
                {t(`tables.${name}`)}
                <Count picture={picture} table={name} />
              </Tabs.Tab>
            </Explained>
          ))}
        </Tabs.List>
        <Group gap={8} wrap="nowrap" className={classes.tools}>
          <Select
            size="xs"
            w={172}
            aria-label={t('filter.instance')}
            placeholder={t('filter.allInstances')}
            clearable
            data={names}
            value={names.includes(only ?? '') ? only : null}
            onChange={setOnly}
          />
          <TextInput
            size="xs"
            w={150}
            leftSection={<IconSearch size={14} />}
            placeholder={t('filter.placeholder')}
            aria-label={t('filter.label')}
            value={filter ?? ''}
            onChange={(event) => {
              setFilter(event.currentTarget.value);
            }}
          />
          <PauseButton picture={picture} />
          {aside}
        </Group>
      </div>
      <InstanceStrip live={picture.live} liveness={liveness} showsSwitches={false} />
      {tables.map((name) => (
        <Tabs.Panel key={name} value={name} className={classes.table ?? ''}>
          <LiveTable
            table={name}
            picture={picture}
            filter={filter ?? ''}
            only={only}
            isStale={liveness === 'offline' || liveness === 'refused'}
            rowHeight={28}
          />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Count({ picture, table }: { picture: LivePicture; table: TableName }) {
  const { tables: rows } = picture;
  const hasAnswered = Object.values(picture.live.instances).some((one) => one.view !== null);
  const count = table === 'transmission' || table === 'conversations' ? rows.totals[table] : rows[table].length;
  return <span className={classes.count}>{hasAnswered ? numberText(count) : '?'}</span>;
}

function PauseButton({ picture }: { picture: LivePicture }) {
  const { t } = useTranslation('live');
  if (!picture.isPaused) {
    return (
      <ActionIcon size={30} variant="default" aria-label={t('pause')} title={t('pause')} onClick={picture.pause}>
        <IconPlayerPause size={16} />
      </ActionIcon>
    );
  }
  return (
    <Button size="xs" leftSection={<IconPlayerPlay size={14} />} onClick={picture.resume}>
      {t('resume', { count: picture.waiting })}
    </Button>
  );
}
