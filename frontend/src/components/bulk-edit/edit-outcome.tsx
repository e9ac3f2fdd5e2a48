import { useTranslation } from 'react-i18next';

import type { EditedObject, ObjectsEdited } from '@/contracts/api';
import { fieldText, valueText } from '@/lib/object-values';
import { objectPlace } from '@/topology/object-words';

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
          <colgroup>
            <col className={classes.object} />
            {changed + same > 0 && <col />}
            {changed + same > 0 && <col />}
            <col className={refused > 0 ? classes.problem : classes.outcome} />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">{t('name')}</th>
              {changed + same > 0 && <th scope="col">{t('before')}</th>}
              {changed + same > 0 && <th scope="col">{t('after')}</th>}
              <th scope="col">{t('outcome')}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <ResultRow
                key={JSON.stringify([row.instance, row.database, row.name])}
                row={row}
                isDone={isDone}
                hasValues={changed + same > 0}
              />
            ))}
          </tbody>
        </table>
      </div>
      {total > rows.length && <p className={classes.note}>{t('firstRows', { count: rowsShown })}</p>}
    </>
  );
}

function ResultRow({ row, isDone, hasValues }: { row: EditedObject; isDone: boolean; hasValues: boolean }) {
  const { t } = useTranslation('objects');
  return (
    <tr>
      <th scope="row">
        <span className={classes.mono}>{row.name}</span>
        <br />
        <span className={classes.note}>{objectPlace(row)}</span>
      </th>
      {hasValues && (
        <td>
          {row.fields
            .map(({ name, before }) => t('choice', { label: fieldText(name), value: valueText(before) }))
            .join('; ')}
        </td>
      )}
      {hasValues && (
        <td>
          {row.fields
            .map(({ name, after }) => t('choice', { label: fieldText(name), value: valueText(after) }))
            .join('; ')}
        </td>
      )}
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
