import { Button, Group } from '@mantine/core';

import { Badge } from '@/components/ui/badge';
import { GuardedButton } from '@/components/ui/guarded-button';
import type { ConflictDecision, MergedField, MergedObject } from '@/contracts/api';
import { objectPlace, valueText } from '@/topology/object-words';

import classes from './change-sets.module.css';
import { EffectSign } from './effect-sign';

type Props = {
  objects: readonly MergedObject[];
  /** Why nothing can be decided; null when it can. */
  barred: string | null;
  isBusy: boolean;
  onDecide: (object: MergedObject, decision: ConflictDecision['decision']) => void;
};

/** Every object that a change set makes different, field by field; conflicts first, each with its two ways out. */
export function ObjectChanges({ objects, barred, isBusy, onDecide }: Props) {
  const ordered = objects.toSorted((one, other) => Number(other.conflict === 'open') - Number(one.conflict === 'open'));
  return (
    <ul className={classes.objects}>
      {ordered.map((object) => (
        <li key={`${object.instance}\n${object.database ?? ''}\n${object.kind}\n${object.name}`} className={classes.object} data-conflict={object.conflict ?? undefined}>
          <ObjectHead object={object} />
          {object.conflict === 'open' && (
            <Group gap={8} className={classes.ways}>
              <p className={classes.why}>Somebody else has changed it too since this draft was begun. Which is to be?</p>
              <GuardedButton barred={barred} size="xs" variant="default" loading={isBusy} onClick={() => { onDecide(object, 'mine'); }}>
                Keep the draft&rsquo;s
              </GuardedButton>
              <GuardedButton barred={barred} size="xs" variant="default" loading={isBusy} onClick={() => { onDecide(object, 'theirs'); }}>
                Take what is live
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
  return (
    <div className={classes.objectHead}>
      <EffectSign effect={object.effect} />
      <span className={classes.kind}>{object.kind.replaceAll('-', ' ')}</span>
      <strong className={classes.mono}>{object.name}</strong>
      <span className={classes.place}>{objectPlace(object)}</span>
      {object.conflict === 'open' && <Badge verdict="error">Conflict</Badge>}
      {object.conflict === 'acknowledged' && <Badge>Conflict decided for the draft</Badge>}
    </div>
  );
}

function Fields({ fields, effect, hasBase }: { fields: readonly MergedField[]; effect: MergedObject['effect']; hasBase: boolean }) {
  if (fields.length === 0) {
    return null;
  }
  return (
    <table className={classes.fields}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          {hasBase && <th scope="col">When the draft began</th>}
          {effect !== 'add' && <th scope="col">Live now</th>}
          {effect !== 'remove' && <th scope="col">In the draft</th>}
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field.name}>
            <th scope="row">{field.name.replaceAll('_', ' ')}</th>
            {hasBase && <td>{valueText(field.base)}</td>}
            {effect !== 'add' && <td data-side="before">{valueText(field.theirs)}</td>}
            {effect !== 'remove' && <td data-side="after">{valueText(field.mine)}</td>}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

export function NoChanges({ onEdit }: { onEdit: () => void }) {
  return (
    <div className={classes.nothing}>
      <p>This draft changes nothing yet.</p>
      <Button size="xs" onClick={onEdit}>
        Edit on the map
      </Button>
    </div>
  );
}
