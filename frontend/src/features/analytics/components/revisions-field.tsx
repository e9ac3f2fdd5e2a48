import { SegmentedControl, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import { useEstatePage } from '@/hooks/use-estate-page';
import { changeSetsQuery } from '@/lib/api/change-sets-list';
import { revisionsQuery } from '@/lib/api/revisions-list';
import { absoluteTime } from '@/lib/time';

import classes from './analytics.module.css';

/** What a what-if compares: two revisions, or what is live now with a draft. */
export type States = {
  kind: 'revisions' | 'draft';
  revisions: [number, number] | null;
  draft: number | null;
};

export const noStates: States = { kind: 'draft', revisions: null, draft: null };

type Props = { states: States; onChange: (states: States) => void };

export function RevisionsField({ states, onChange }: Props) {
  const { t } = useTranslation('analytics');
  const estate = useEstatePage();
  const { data: drafts } = useQuery(changeSetsQuery(estate.name, 'open'));
  const { data: revisions } = useQuery(revisionsQuery(estate.name));
  const [before, after] = states.revisions ?? [null, null];
  const listed = (revisions?.items ?? []).map(({ number, summary, created_at: at }) => ({
    value: String(number),
    label: t('form.revision', { revision: number, summary: summary === '' ? absoluteTime(Date.parse(at)) : summary }),
  }));
  const open = (drafts?.items ?? []).map(({ number, title }) => ({
    value: String(number),
    label: t('form.draftNamed', { number, title: title === '' ? 'none' : title }),
  }));
  const set = (place: 0 | 1, text: string | null) => {
    const number = Number(text);
    const fallback = estate.revision;
    const pair: [number, number] = place === 0 ? [number, after ?? fallback] : [before ?? fallback, number];
    onChange({ ...states, revisions: pair });
  };
  return (
    <>
      <div className={classes.field}>
        <span className={classes.label}>{t('form.compare')}</span>
        <SegmentedControl
          size="xs"
          aria-label={t('form.compare')}
          data={(['draft', 'revisions'] as const).map((value) => ({ value, label: t(`form.kind.${value}`) }))}
          value={states.kind}
          onChange={(kind) => {
            onChange({ ...states, kind });
          }}
        />
      </div>
      {states.kind === 'draft' ? (
        <Select
          size="xs"
          className={classes.field ?? ''}
          label={t('form.draft')}
          placeholder={open.length === 0 ? t('form.noDraft') : t('form.chooseDraft')}
          searchable
          data={open}
          value={states.draft === null ? null : String(states.draft)}
          onChange={(value) => {
            onChange({ ...states, draft: value === null ? null : Number(value) });
          }}
        />
      ) : (
        ([0, 1] as const).map((place) => {
          const value = place === 0 ? before : after;
          return (
            <Select
              key={place}
              size="xs"
              className={classes.field ?? ''}
              label={t(place === 0 ? 'form.before' : 'form.after')}
              placeholder={t('form.chooseRevision')}
              searchable
              allowDeselect={false}
              limit={100}
              data={listed}
              value={value === null ? null : String(value)}
              onChange={(text) => {
                set(place, text);
              }}
            />
          );
        })
      )}
    </>
  );
}
