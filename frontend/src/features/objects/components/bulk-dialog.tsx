import { Checkbox } from '@mantine/core';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { BulkEditDialog } from '@/components/bulk-edit/bulk-edit-dialog';
import type { ObjectsEditRequest } from '@/contracts/api';

import { fieldAt, fieldsOf, sent, type Values } from '../form-values';
import type { FieldName, FormField, KindName } from '../kinds';
import { ObjectField } from './object-fields';
import classes from './objects.module.css';

type Props = {
  kind: KindName;
  action: 'alter' | 'drop';
  count: number;
  selection: Pick<ObjectsEditRequest, 'objects' | 'filter'>;
  draft: number | null;
  onClose: (isDone: boolean) => void;
};

/** Many objects of a list edited or deleted. */
export function BulkDialog({ kind, action, count, selection, draft, onClose }: Props) {
  const { t } = useTranslation('objects');
  const [chosen, setChosen] = useState<Values>({});
  return (
    <BulkEditDialog
      kind={kind}
      wanted={{ action, ...selection, patch: action === 'drop' ? {} : sent(kind, chosen, 'alter') }}
      count={count}
      draft={draft}
      barred={action === 'alter' && Object.keys(chosen).length === 0 ? t('nothingChosen') : null}
      fields={(refused) => <PatchFields kind={kind} values={chosen} refused={fieldAt(refused)} onChange={setChosen} />}
      onClose={onClose}
    />
  );
}

/** The fields that can be set to one value for many; a tick takes a field into the edit. */
function PatchFields({
  kind,
  values,
  refused,
  onChange,
}: {
  kind: KindName;
  values: Values;
  refused: string | null;
  onChange: (values: Values) => void;
}) {
  const { t } = useTranslation('objects');
  const fields = fieldsOf(kind, 'alter').filter(({ isSingle }) => isSingle !== true);
  const without = (name: FieldName) => Object.fromEntries(Object.entries(values).filter(([field]) => field !== name));
  const initial = ({ initial: value, shape, choices }: FormField) =>
    value ?? (shape === 'flag' ? false : shape === 'choice' ? (choices?.[0] ?? '') : '');
  return (
    <>
      <p className={classes.note}>{t('chooseFields')}</p>
      {fields.map((field) => (
        <div key={field.field} className={classes.fieldRow}>
          <Checkbox
            mt={6}
            aria-label={t('select', { name: t(`fields.${field.field}`) })}
            checked={field.field in values}
            onChange={(event) => {
              onChange(
                event.currentTarget.checked ? { ...values, [field.field]: initial(field) } : without(field.field),
              );
            }}
          />
          <ObjectField
            field={field}
            value={values[field.field]}
            place={{ instance: '', database: null }}
            error={refused === field.field}
            onChange={(value) => {
              onChange({ ...values, [field.field]: value });
            }}
          />
        </div>
      ))}
    </>
  );
}
