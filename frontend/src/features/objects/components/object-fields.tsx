import { ActionIcon, Button, NativeSelect, NumberInput, Switch, TagsInput, TextInput } from '@mantine/core';
import { IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { SuggestInput } from '@/components/ui/suggest-input';
import { useEstatePage } from '@/hooks/use-estate-page';
import {
  addressSuggestions,
  brokerSuggestions,
  contractSuggestions,
  serviceSuggestions,
  type Suggestion,
} from '@/topology/suggestions';

import type { FormField, Source } from '../kinds';

type Props = {
  field: FormField;
  value: unknown;
  place: { instance: string; database: string | null };
  error: ReactNode;
  onChange: (value: unknown) => void;
};
type Use = { message_type: string; sent_by: string };

const eventNames = ['QUEUE_ACTIVATION', 'BROKER_QUEUE_DISABLED'];
const senders = ['INITIATOR', 'TARGET', 'ANY'];
const mono = { input: { fontFamily: 'var(--bw-mono)' } };

/** One field of an object, in the shape that its values have. */
export function ObjectField({ field, value, place, error, onChange }: Props) {
  const { t } = useTranslation('objects');
  const suggestions = useSuggestions(field.source, place);
  const types = messageTypes(useEstateDatabase(place));
  const label = t(`fields.${field.field}`);
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const names = Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
  switch (field.shape) {
    case 'flag':
      return (
        <Switch
          label={label}
          checked={value === true}
          error={error}
          onChange={(event) => {
            onChange(event.currentTarget.checked);
          }}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          label={label}
          value={text}
          data={[...(field.choices ?? [])]}
          error={error}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      );
    case 'number':
      return (
        <NumberInput
          label={label}
          {...(field.field === 'lifetime_seconds' ? { placeholder: t('never') } : {})}
          value={text}
          allowDecimal={false}
          error={error}
          onChange={onChange}
        />
      );
    case 'names':
      return (
        <TagsInput
          label={label}
          value={names}
          data={suggestions.map(({ value: one }) => one)}
          error={error}
          onChange={onChange}
        />
      );
    case 'events':
      return <TagsInput label={label} value={names} data={eventNames} error={error} onChange={onChange} />;
    case 'uses':
      return (
        <Uses
          label={label}
          uses={Array.isArray(value) ? (value as Use[]) : []}
          types={types}
          error={error}
          onChange={onChange}
        />
      );
    case 'text':
      return field.source === undefined ? (
        <TextInput
          label={label}
          value={text}
          required={field.isRequired === true}
          error={error}
          spellCheck={false}
          autoComplete="off"
          styles={mono}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      ) : (
        <SuggestInput
          label={label}
          value={text}
          required={field.isRequired === true}
          error={error}
          suggestions={suggestions}
          onChange={onChange}
        />
      );
  }
}

/** The message types of a contract and who sends each. */
function Uses({
  label,
  uses,
  types,
  error,
  onChange,
}: {
  label: string;
  uses: readonly Use[];
  types: Suggestion[];
  error: ReactNode;
  onChange: (uses: Use[]) => void;
}) {
  const { t } = useTranslation('objects');
  const put = (at: number, use: Partial<Use>) => {
    onChange(uses.map((one, index) => (index === at ? { ...one, ...use } : one)));
  };
  return (
    <fieldset style={{ border: 0, margin: 0, padding: 0 }}>
      <legend>{label}</legend>
      {uses.map((use, at) => (
        <div
          key={at}
          style={{
            display: 'grid',
            gridTemplateColumns: 'minmax(0, 1fr) 120px 28px',
            gap: 6,
            alignItems: 'end',
            marginBottom: 6,
          }}
        >
          <SuggestInput
            aria-label={t('messageType')}
            value={use.message_type}
            suggestions={types}
            onChange={(name) => {
              put(at, { message_type: name });
            }}
          />
          <NativeSelect
            aria-label={t('sentBy')}
            value={use.sent_by}
            data={senders}
            onChange={(event) => {
              put(at, { sent_by: event.currentTarget.value });
            }}
          />
          <ActionIcon
            variant="default"
            aria-label={t('removeOne', { name: use.message_type })}
            onClick={() => {
              onChange(uses.filter((_, index) => index !== at));
            }}
          >
            <IconX size={14} />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="compact-xs"
        variant="default"
        leftSection={<IconPlus size={12} />}
        onClick={() => {
          onChange([...uses, { message_type: '', sent_by: 'INITIATOR' }]);
        }}
      >
        {t('addOne')}
      </Button>
      {error !== null && (
        <p role="alert" style={{ color: 'var(--bw-danger-text)' }}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

function useEstateDatabase({ instance, database }: Props['place']) {
  const estate = useEstatePage();
  return estate.instances.find((one) => one.name === instance)?.databases.find((one) => one.name === database);
}

function messageTypes(database: ReturnType<typeof useEstateDatabase>): Suggestion[] {
  return ['DEFAULT', ...(database?.message_types.map(({ name }) => name) ?? [])].map((value) => ({ value, note: '' }));
}

/** What a field may propose: taken from the estate, never the only thing one may type. */
function useSuggestions(source: Source | undefined, place: Props['place']): Suggestion[] {
  const estate = useEstatePage();
  const database = useEstateDatabase(place);
  switch (source) {
    case 'service':
      return serviceSuggestions(estate);
    case 'queue':
      return database?.queues.map(({ name }) => ({ value: name, note: '' })) ?? [];
    case 'contract':
      return contractSuggestions(estate, place.instance, place.database ?? '').map((value) => ({ value, note: '' }));
    case 'messageType':
      return messageTypes(database);
    case 'address':
      return addressSuggestions(estate, true);
    case 'broker':
      return brokerSuggestions(estate, '');
    case undefined:
      return [];
  }
}
