import { Select, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useTranslation } from 'react-i18next';

import type { Estate, TableParameter, TableQuestion } from '@/contracts/api';
import { useEstatePage } from '@/hooks/use-estate-page';
import { changeSetsQuery } from '@/lib/api/change-sets-list';
import { revisionsQuery } from '@/lib/api/revisions-list';

import { BasisPicker } from '../../components/basis-picker';
import { FlowFields, ToInput } from '../../components/flow-fields';
import bar from '../../components/what-if-panel.module.css';
import { useAsk } from '../../use-question';
import { addressOf, isOfFlow, type Against, type TableAsked } from '../use-table';
import classes from './questions.module.css';

type Props = { question: TableQuestion; table: TableAsked };

/** What the question takes, of which state it is asked, and with what that is compared. Everything is asked at once. */
export function QuestionForm({ question, table }: Props) {
  const { t } = useTranslation('tables');
  const estate = useEstatePage();
  const isFlow = isOfFlow(question);
  const others = question.parameters.filter(({ kind }) => !isFlow || kind === 'integer' || kind === 'number');
  return (
    <form
      className={classes.form}
      aria-label={t('form')}
      onSubmit={(event) => {
        event.preventDefault();
      }}
    >
      {(isFlow || others.length > 0) && (
        <div className={bar.askRow}>
          {isFlow && <FlowFields estate={estate} asked={table.asked} />}
          {others.map((parameter) => (
            <Field key={parameter.name} estate={estate} parameter={parameter} table={table} />
          ))}
        </div>
      )}
      <div className={bar.askRow}>
        <BasisPicker estate={estate} asked={table.asked} />
        <AgainstSelect estate={estate} table={table} />
      </div>
    </form>
  );
}

type FieldProps = { estate: Estate; parameter: TableParameter; table: TableAsked };

/** One of what a question takes; left empty it means all, or the number that stands there as an example. */
function Field({ estate, parameter, table }: FieldProps) {
  const { t } = useTranslation('tables');
  const ask = useAsk();
  const { name, kind, default: usual, minimum, maximum } = parameter;
  const held = addressOf[name] ?? name;
  const value = table.given[held] ?? '';
  const label = t(`parameter.${name as 'days'}`, { defaultValue: name });
  if (kind === 'to_service') {
    return <ToInput estate={estate} asked={table.asked} placeholder={t('every')} />;
  }
  if (kind === 'instance') {
    return (
      <Select
        size="xs"
        className={bar.narrow ?? ''}
        label={label}
        placeholder={t('every')}
        searchable
        clearable
        limit={200}
        data={estate.instances.map((instance) => instance.name)}
        value={value === '' ? null : value}
        onChange={(chosen) => {
          ask({ [held]: chosen });
        }}
      />
    );
  }
  return (
    <TextInput
      // What is typed is asked when the field is left, or with Enter: half a number is another number.
      key={value}
      size="xs"
      className={classes.number ?? ''}
      label={label}
      description={t('range', { minimum: minimum ?? 0, maximum: maximum ?? 0 })}
      inputWrapperOrder={['label', 'input', 'description']}
      inputMode={kind === 'integer' ? 'numeric' : 'decimal'}
      placeholder={usual === null ? '' : String(usual)}
      defaultValue={value}
      onBlur={({ currentTarget }) => {
        if (currentTarget.value.trim() !== value) {
          ask({ [held]: currentTarget.value.trim() });
        }
      }}
      onKeyDown={({ key, currentTarget }) => {
        if (key === 'Enter') {
          ask({ [held]: currentTarget.value.trim() });
        }
      }}
    />
  );
}

/** With what the state is compared. */
function AgainstSelect({ estate, table: { against, asked } }: { estate: Estate; table: TableAsked }) {
  const { t } = useTranslation(['tables', 'trace']);
  const ask = useAsk();
  const { data: drafts } = useQuery(changeSetsQuery(estate.name, 'open'));
  const { data: revisions } = useQuery(revisionsQuery(estate.name));
  const past = (revisions?.items ?? []).map(({ number }) => number).filter((number) => number !== estate.revision);
  const open = (drafts?.items ?? []).filter(({ number }) => number !== asked.draft);
  const known = new Set<Against>(['none', 'live', 'sound', ...past.map((number) => `revision ${number}` as const)]);
  for (const { number } of open) {
    known.add(`draft ${number}`);
  }
  const isLive = asked.draft === null && asked.revision === null;
  return (
    <Select
      size="xs"
      className={bar.state ?? ''}
      label={t('tables:against.label')}
      searchable
      allowDeselect={false}
      data={[
        { value: 'none', label: t('tables:against.none') },
        ...(isLive && against !== 'live' ? [] : [{ value: 'live', label: t('tables:against.live') }]),
        ...(asked.faults.length === 0 ? [] : [{ value: 'sound', label: t('tables:against.sound') }]),
        ...(open.length === 0
          ? []
          : [
              {
                group: t('trace:ask.basisDrafts'),
                items: open.map(({ number, title }) => ({
                  value: `draft ${number}`,
                  label: t('trace:ask.draft', { number, title: title === '' ? 'none' : title }),
                })),
              },
            ]),
        ...[...past, ...unlisted(against, known)].reduce(
          (groups: { group: string; items: { value: string; label: string }[] }[], number) => {
            const items = groups[0]?.items ?? [];
            return [
              {
                group: t('trace:ask.basisRevisions'),
                items: [
                  ...items,
                  { value: `revision ${number}`, label: t('trace:ask.revision', { revision: number }) },
                ],
              },
            ];
          },
          [],
        ),
      ]}
      value={against}
      onChange={(value) => {
        ask({ against: value });
      }}
    />
  );
}

/** A revision that the address names and the list does not have. */
function unlisted(against: Against, known: ReadonlySet<Against>): number[] {
  return against.startsWith('revision ') && !known.has(against) ? [Number(against.slice('revision '.length))] : [];
}
