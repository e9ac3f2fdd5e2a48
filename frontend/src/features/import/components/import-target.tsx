import { SegmentedControl, Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { TFunction } from 'i18next';
import { useTranslation } from 'react-i18next';

import { openDraftsQuery } from '../api/open-drafts';
import classes from './import-wizard.module.css';

/** Where an import goes: a change set of an estate, or an estate that it makes. Never into what is live. */
export type Target = { isNew: boolean; estate: string; changeSet: number | 'new' };

export function startingTarget(estates: readonly string[], suggestedEstate: string): Target {
  return { isNew: estates.length === 0, estate: suggestedEstate, changeSet: 'new' };
}

/** Why an import cannot go there; null when it can. */
export function targetBarred(target: Target, estates: readonly string[], t: TFunction<'import'>): string | null {
  if (target.estate === '') {
    return t('target.noName');
  }
  return target.isNew && estates.includes(target.estate) ? t('target.taken', { estate: target.estate }) : null;
}

const freeName = 'my-estate';

type Props = { target: Target; estates: readonly string[]; onChange: (target: Target) => void };

export function ImportTarget({ target, estates, onChange }: Props) {
  const { t } = useTranslation('import');
  const { data: drafts } = useQuery({
    ...openDraftsQuery(target.estate),
    enabled: !target.isNew && target.estate !== '',
  });
  return (
    <div className={classes.target}>
      {estates.length > 0 && (
        <SegmentedControl
          fullWidth
          size="xs"
          aria-label={t('target.label')}
          value={target.isNew ? 'new' : 'draft'}
          onChange={(where) => {
            const estate = where === 'new' ? (estates.includes(freeName) ? '' : freeName) : (estates[0] ?? '');
            onChange({ isNew: where === 'new', estate, changeSet: 'new' });
          }}
          data={[
            { value: 'draft', label: t('target.draft') },
            { value: 'new', label: t('target.new') },
          ]}
        />
      )}
      {target.isNew ? (
        <TextInput
          label={t('target.newName')}
          value={target.estate}
          error={estates.includes(target.estate) ? t('target.taken', { estate: target.estate }) : null}
          classNames={{ input: classes.mono ?? '' }}
          onChange={(event) => {
            onChange({ ...target, estate: event.currentTarget.value.trim() });
          }}
        />
      ) : (
        <>
          <Select
            label={t('target.estate')}
            data={[...estates]}
            value={target.estate}
            allowDeselect={false}
            onChange={(estate) => {
              onChange({ ...target, estate: estate ?? '', changeSet: 'new' });
            }}
          />
          <Select
            label={t('target.changeSet')}
            description={t('target.changeSetHint')}
            allowDeselect={false}
            value={String(target.changeSet)}
            data={[
              { value: 'new', label: t('target.newChangeSet') },
              ...(drafts?.items ?? []).map((draft) => ({
                value: String(draft.number),
                label: `#${draft.number} ${draft.title}`,
              })),
            ]}
            onChange={(value) => {
              onChange({ ...target, changeSet: value === null || value === 'new' ? 'new' : Number(value) });
            }}
          />
        </>
      )}
    </div>
  );
}
