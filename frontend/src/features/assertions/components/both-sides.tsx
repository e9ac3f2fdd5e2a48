import { Button, Group } from '@mantine/core';
import { useTranslation } from 'react-i18next';

import plain from '@/components/ui/plain-table.module.css';
import type { Expected } from '@/contracts/api';
import type { Problem } from '@/lib/errors';

import type { Edited } from './assertion-form';
import classes from './assertions.module.css';

/** What somebody else has made of an assertion since it was looked at. */
export type Conflict = { theirs: Edited; version: number; by: string; detail: string };

/** The conflict that a refusal tells; null for any other refusal. */
export function conflictOf({ name, parameters, detail }: Problem): Conflict | null {
  if (name !== 'assertion-changed' || parameters === undefined) {
    return null;
  }
  const { theirs, version, changed_by: by } = parameters as { theirs: Edited; version: number; changed_by: string };
  return { theirs, version, by, detail };
}

type Props = { mine: Edited; conflict: Conflict; isBusy: boolean; onMine: () => void; onTheirs: () => void };

/** Both versions, field by field where they differ; whoever reads them decides. */
export function BothSides({ mine, conflict, isBusy, onMine, onTheirs }: Props) {
  const { t } = useTranslation('assertions');
  const { theirs, by, detail } = conflict;
  const differing = (['name', 'note', 'tags', 'expected'] as const).filter(
    (field) => JSON.stringify(mine[field]) !== JSON.stringify(theirs[field]),
  );
  return (
    <div role="alert" className={classes.conflict}>
      <strong>{detail}</strong>
      <table className={`${plain.table ?? ''} ${classes.table ?? ''}`}>
        <thead>
          <tr>
            <th scope="col">{t('conflict.field')}</th>
            <th scope="col">{t('conflict.mine')}</th>
            <th scope="col">{t('conflict.theirs', { by: by || '–' })}</th>
          </tr>
        </thead>
        <tbody>
          {differing.map((field) => (
            <tr key={field}>
              <th scope="row">{t(`field.${field}`)}</th>
              <td>{shown(mine[field])}</td>
              <td>{shown(theirs[field])}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <Group gap={8}>
        <Button size="xs" variant="default" onClick={onTheirs}>
          {t('conflict.takeTheirs')}
        </Button>
        <Button size="xs" loading={isBusy} onClick={onMine}>
          {t('conflict.saveMine')}
        </Button>
      </Group>
    </div>
  );
}

function shown(value: string | string[] | Expected): string {
  if (typeof value === 'string') {
    return value;
  }
  return Array.isArray(value) ? value.join(', ') : JSON.stringify(value);
}
