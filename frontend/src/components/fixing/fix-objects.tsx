import { useTranslation } from 'react-i18next';

import type { ObjectChange } from '@/contracts/api';
import { fieldText, valueText } from '@/lib/object-values';
import { kindText, objectPlace } from '@/topology/object-words';

import classes from './fixing.module.css';

/** Objects before and after, field by field. */
export function FixObjects({ objects, count }: { objects: readonly ObjectChange[]; count: number }) {
  const { t } = useTranslation('fixes');
  return (
    <>
      {objects.map((object) => (
        <div
          key={`${object.instance}\n${object.database ?? ''}\n${object.kind}\n${object.name}`}
          className={classes.object}
        >
          <p className={classes.head}>
            <span className={classes.label}>{t(`effect.${object.effect}`)}</span>
            <span className={classes.label}>{kindText(object.kind)}</span>
            <strong>{object.name}</strong>
            <span className={classes.label}>{objectPlace(object)}</span>
          </p>
          {object.fields.length > 0 && <Fields object={object} />}
        </div>
      ))}
      {count > objects.length && <p className={classes.label}>{t('more', { count: count - objects.length })}</p>}
    </>
  );
}

function Fields({ object: { effect, fields } }: { object: ObjectChange }) {
  const { t } = useTranslation('fixes');
  return (
    <table className={classes.fields}>
      <thead>
        <tr>
          <th scope="col">{t('field')}</th>
          {effect !== 'add' && <th scope="col">{t('before')}</th>}
          {effect !== 'remove' && <th scope="col">{t('after')}</th>}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">{fieldText(field.name)}</th>
            {effect !== 'add' && <td data-side="before">{valueText(field.before)}</td>}
            {effect !== 'remove' && <td data-side="after">{valueText(field.after)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
