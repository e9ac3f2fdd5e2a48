import { useTranslation } from 'react-i18next';

import type { EditedObject, ObjectsEdited } from '@/contracts/api';
import { objectPlace, valueText } from '@/topology/object-words';

import classes from './bulk-edit.module.css';

const rowsShown = 500;

/** What an edit of many objects does, or did, to each of them. */
export function EditOutcome({ edited, isDone }: { edited: ObjectsEdited; isDone: boolean }) {
  const { t } = useTranslation('objects');
  const { changed, same, refused, rows, total } = edited;
  return (
    <>
      <p role="status">{t(isDone ? 'doneSummary' : 'summary', { changed, same, refused })}</p>
      {/* A scrolling region must be reachable by keyboard. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className={classes.scroll} tabIndex={0} role="region" aria-label={t('outcome')}>
        <table className={classes.rows}>
          <thead>
            <tr>
              <th scope="col">{t('name')}</th>
              <th scope="col">{t('before')}</th>
              <th scope="col">{t('after')}</th>
              <th scope="col">{t('outcome')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ResultRow key={JSON.stringify([row.instance, row.database, row.name])} row={row} isDone={isDone} />
            ))}
          </tbody>
        </table>
      </div>
      {total > rows.length && <p className={classes.note}>{t('firstRows', { count: rowsShown })}</p>}
    </>
  );
}

function ResultRow({ row, isDone }: { row: EditedObject; isDone: boolean }) {
  const { t } = useTranslation('objects');
  return (
    <tr>
      <th scope="row">
        <span className={classes.mono}>{row.name}</span> <span className={classes.note}>{objectPlace(row)}</span>
      </th>
      <td>{row.fields.map(({ name, before }) => `${name.replaceAll('_', ' ')}: ${valueText(before)}`).join('; ')}</td>
      <td>{row.fields.map(({ name, after }) => `${name.replaceAll('_', ' ')}: ${valueText(after)}`).join('; ')}</td>
      <td>
        {t(`${isDone ? 'done' : 'outcomes'}.${row.outcome}`)}
        {row.problem !== null && (
          <p>
            {row.problem.code} · {row.problem.detail}. {row.problem.why} <strong>{row.problem.cure}</strong>
          </p>
        )}
      </td>
    </tr>
  );
}
