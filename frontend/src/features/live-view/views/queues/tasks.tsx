import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import type { GridRow, Read } from '@/live/grid/rows';

import { activatedTasksQuery } from '../../api/activated-tasks-read';
import { textOf } from '../common';
import classes from '../details.module.css';

/** The readers that run, by the vendor's names: sys.dm_broker_activated_tasks. */
export function Tasks({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const place = {
    estate: estate.name,
    instance: row.instance,
    database: textOf(row, read, 'database_name'),
    queueId: Number(read(row, 'object_id')),
  };
  const { data, isError } = useQuery(activatedTasksQuery(place));
  if (data === undefined) {
    return <p className={classes.note}>{isError ? t('queues.tasksUnknown') : t('source.waiting.word')}</p>;
  }
  if (data.rows.length === 0) {
    return <p className={classes.note}>{t('queues.noTasks')}</p>;
  }
  return (
    <table className={classes.table} aria-label="sys.dm_broker_activated_tasks">
      <thead>
        <tr>
          {data.columns.map(({ name }) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.rows.map((cells) => (
          <tr key={String(cells[0])}>
            {data.columns.map(({ name }, at) => (
              <td key={name}>{cells[at] === null ? t('cell.null') : String(cells[at])}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
