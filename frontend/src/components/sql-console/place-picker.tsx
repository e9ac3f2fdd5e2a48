import { Select } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import classes from './sql-console.module.css';

/** An instance with the names of its databases. */
export type Server = { name: string; databases: readonly string[] };

export type Place = { instance: string; database: string };

const systemDatabases = new Set(['master', 'msdb', 'tempdb', 'model']);

/** The first database that users have, else the first one at all. */
export function firstDatabase({ databases }: Server): string | undefined {
  return databases.find((name) => !systemDatabases.has(name.toLowerCase())) ?? databases[0];
}

/** The place that is asked for, as far as it is there; null where there is no database at all. */
export function placeAmong(servers: readonly Server[], asked: Partial<Place>): Place | null {
  const server =
    servers.find(({ name }) => name === asked.instance) ?? servers.find((each) => firstDatabase(each) !== undefined);
  const named = server?.databases.find((name) => server.name === asked.instance && name === asked.database);
  const database = named ?? (server === undefined ? undefined : firstDatabase(server));
  return server === undefined || database === undefined ? null : { instance: server.name, database };
}

type Props = { servers: readonly Server[]; place: Place; onPlace: (place: Place) => void };

/** Chooses instance and database; another instance begins in the first of its databases. */
export function PlacePicker({ servers, place: { instance, database }, onPlace }: Props) {
  const { t } = useTranslation('sql');
  const here = servers.find(({ name }) => name === instance);
  const choose = (asked: Partial<Place>) => {
    const found = placeAmong(servers, asked);
    if (found !== null) {
      onPlace(found);
    }
  };
  return (
    <div className={classes.place}>
      <Select
        aria-label={t('instance')}
        size="xs"
        searchable
        allowDeselect={false}
        data={servers.filter(({ databases }) => databases.length > 0).map(({ name }) => name)}
        value={instance}
        onChange={(chosen) => {
          choose({ ...(chosen === null ? {} : { instance: chosen }) });
        }}
      />
      <Select
        aria-label={t('database')}
        size="xs"
        searchable
        allowDeselect={false}
        data={here === undefined ? [] : [...here.databases]}
        value={database}
        onChange={(chosen) => {
          choose({ instance, ...(chosen === null ? {} : { database: chosen }) });
        }}
      />
    </div>
  );
}
