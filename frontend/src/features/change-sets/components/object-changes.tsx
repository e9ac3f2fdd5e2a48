import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import type { ConflictDecision, MergedField, MergedObject } from '@/contracts/api';
import { fieldText, valueText } from '@/lib/object-values';
import { kindText, objectPlace } from '@/topology/object-words';

import classes from './change-sets.module.css';
import { EffectSign } from './effect-sign';

type Props = {
  objects: readonly MergedObject[];
  /** Why nothing can be decided; null when it can. */
  barred: string | null;
  isBusy: boolean;
  onDecide: (object: MergedObject, decision: ConflictDecision['decision']) => void;
};

/**
 * Every object that a change set makes different, field by field; conflicts, which the server tells first, each with
 * its two ways out.
 */
export function ObjectChanges({ objects, barred, isBusy, onDecide }: Props) {
  const { t } = useTranslation('review');
  return (
    <ul className={classes.objects}>
      {objects.map((object) => (
        <li
          key={`${object.instance}\n${object.database ?? ''}\n${object.kind}\n${object.name}`}
          className={classes.object}
          data-conflict={object.conflict ?? undefined}
        >
          <ObjectHead object={object} />
          {object.conflict === 'open' && (
            <Group gap={8} className={classes.ways}>
              <p className={classes.why}>{t('conflict.question')}</p>
              <GuardedButton
                barred={barred}
                size="xs"
                variant="default"
                loading={isBusy}
                onClick={() => {
                  onDecide(object, 'mine');
                }}
              >
                {t('conflict.mine')}
              </GuardedButton>
              <GuardedButton
                barred={barred}
                size="xs"
                variant="default"
                loading={isBusy}
                onClick={() => {
                  onDecide(object, 'theirs');
                }}
              >
                {t('conflict.theirs')}
              </GuardedButton>
            </Group>
          )}
          <Fields fields={object.fields} effect={object.effect} hasBase={object.conflict !== null} />
        </li>
      ))}
    </ul>
  );
}

function ObjectHead({ object }: { object: MergedObject }) {
  const { t } = useTranslation('review');
  return (
    <div className={classes.objectHead}>
      <EffectSign effect={object.effect} />
      <span className={classes.kind}>{kindText(object.kind)}</span>
      <strong className={classes.mono}>{object.name}</strong>
      <span className={classes.place}>{objectPlace(object)}</span>
      {object.conflict === 'open' && <Badge verdict="error">{t('conflict.open')}</Badge>}
      {object.conflict === 'acknowledged' && <Badge>{t('conflict.decided')}</Badge>}
    </div>
  );
}

function Fields({
  fields,
  effect,
  hasBase,
}: {
  fields: readonly MergedField[];
  effect: MergedObject['effect'];
  hasBase: boolean;
}) {
  const { t } = useTranslation('review');
  if (fields.length === 0) {
    return null;
  }
  return (
    <table className={classes.fields}>
      <thead>
        <tr>
          <th scope="col">{t('fields.field')}</th>
          {hasBase && <th scope="col">{t('fields.base')}</th>}
          {effect !== 'add' && <th scope="col">{t('fields.live')}</th>}
          {effect !== 'remove' && <th scope="col">{t('fields.draft')}</th>}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">{fieldText(field.name)}</th>
            {hasBase && <td>{valueText(field.base)}</td>}
            {effect !== 'add' && <td data-side="before">{valueText(field.theirs)}</td>}
            {effect !== 'remove' && <td data-side="after">{valueText(field.mine)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** A draft in which nothing stands: just begun, or everything in it was undone. */
export function NoChanges({ isOpen, wasUsed, onEdit }: { isOpen: boolean; wasUsed: boolean; onEdit: () => void }) {
  const { t } = useTranslation('review');
  if (!isOpen) {
    return <p className={classes.why}>{t('empty.closed')}</p>;
  }
  return (
    <div className={classes.nothing}>
      <p>{wasUsed ? t('empty.undone') : t('empty.begun')}</p>
      <Button size="xs" onClick={onEdit}>
        {t('empty.edit')}
      </Button>
    </div>
  );
}
