import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { RouteClauseFields, type Clause } from '@/components/route/route-clause-fields';
import { ConflictNotice } from '@/components/ui/conflict-notice';
import { fieldMessage } from '@/components/ui/field-message';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SideForm } from '@/components/ui/side-form';
import type { ListedObject, ObjectName } from '@/contracts/api';
import { useEdit } from '@/hooks/use-draft';
import { useEstatePage } from '@/hooks/use-estate-page';
import { createObject, editObjects, tryObject } from '@/lib/api/objects-edit';
import { asProblem, throwRefusal, type Problem } from '@/lib/errors';
import { tellUndoable } from '@/lib/tell-undoable';
import { objectPlace } from '@/topology/object-words';

import { changedValues, fieldAt, fieldsOf, initialValues, sent, type Values } from '../form-values';
import { kinds, type FieldName, type KindName } from '../kinds';
import { ObjectField } from './object-fields';
import classes from './objects.module.css';

const typingPause = 400;
const clauseFields: Readonly<Record<Clause, FieldName>> = {
  serviceName: 'service_name',
  brokerInstance: 'broker_instance',
  address: 'address',
  mirrorAddress: 'mirror_address',
  lifetimeSeconds: 'lifetime_seconds',
};

type Props = {
  kind: KindName;
  /** The object to change; null to make one. */
  existing: ListedObject | null;
  onDone: (name: ObjectName) => void;
  onCancel: () => void;
};

/**
 * Makes or changes an object of any kind in a change set. The server tries it while one types, and says what is wrong
 * at the field.
 */
export function ObjectForm({ kind, existing, onDone, onCancel }: Props) {
  const { t } = useTranslation('objects');
  const estate = useEstatePage();
  const [base, setBase] = useState(estate.change_set);
  const [initial] = useState(() => initialValues(kind, existing));
  const [values, setValues] = useState<Values>(initial);
  const [name, setName] = useState('');
  const [place, setPlace] = useState(() => ({
    instance: existing?.instance ?? estate.instances[0]?.name ?? '',
    database: existing?.database ?? firstDatabase(estate.instances[0]),
  }));
  const [isAsked, ask] = useState(false);
  const edit = useEdit();
  const { home } = kinds[kind];
  const object: ObjectName = existing ?? {
    instance: home === 'estate' ? name.trim() : place.instance,
    database: home === 'database' ? place.database : home === 'instance' && kind === 'database' ? name.trim() : null,
    name: name.trim(),
  };
  const patch = existing === null ? sent(kind, values, 'create') : changedValues(kind, initial, values);
  const isChanged = existing === null ? object.name !== '' : Object.keys(patch).length > 0;
  const tried = useTried(kind, object, patch, {
    isNew: existing === null,
    isOn: isChanged,
    draft: base?.number ?? null,
  });

  const save = useMutation({
    mutationFn: () =>
      edit(
        (draft) =>
          existing === null
            ? createObject(estate.name, kind, { ...object, fields: patch, dry_run: false }, draft.number)
            : editObjects(
                estate.name,
                kind,
                { action: 'alter', objects: [nameOnly(object)], patch, leave_refused: false, dry_run: false },
                draft,
              ),
        base,
        {
          tryOut: async () => {
            throwRefusal(await tryObject(estate.name, kind, nameOnly(object), patch, { isNew: existing === null, draft: null }));
          },
        },
      ),
    onSuccess: ({ number }) => {
      tellUndoable(t(existing === null ? 'toldNew' : 'toldOne', { name: object.name }), estate.name, number);
      onDone(object);
    },
  });
  const refused = save.isError ? asProblem(save.error) : null;
  const problem = refused ?? tried;
  const at = fieldAt(problem?.pointer ?? null);
  const known = new Set<string>([
    ...fieldsOf(kind, existing === null ? 'create' : 'alter').map(({ field }) => field),
    'name',
  ]);
  const bind = (field: FieldName) => ({
    value: values[field],
    error:
      at === field || (at === 'activation' && field === 'procedure_name') ? fieldMessage(undefined, problem) : null,
    onChange: (value: unknown) => {
      setValues({ ...values, [field]: value });
      save.reset();
    },
  });
  const label =
    existing === null
      ? t('newHeading', { kind: t(`kinds.${kind}.one`) })
      : t('changeHeading', { kind: t(`kinds.${kind}.one`), name: existing.name });
  return (
    <SideForm
      label={label}
      kind={existing === null ? t('new', { kind: t(`kinds.${kind}.one`) }) : t(`kinds.${kind}.one`)}
      name={existing?.name ?? (name || t('unnamed'))}
      place={
        existing === null
          ? [place.instance, home === 'database' ? place.database : null]
              .filter((part) => part !== null && home !== 'estate')
              .join(' · ')
          : objectPlace(existing)
      }
      onClose={onCancel}
      onSubmit={() => {
        ask(true);
        if (isChanged && tried === null) {
          save.mutate();
        }
      }}
      actions={
        <>
          <Button type="submit" loading={save.isPending} disabled={!isChanged || tried !== null}>
            {t(existing === null ? 'create' : 'save')}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {t('cancel')}
          </Button>
        </>
      }
    >
      {refused?.status === 412 && (
        <ConflictNotice
          problem={refused}
          onReload={() => {
            setBase(estate.change_set);
            save.reset();
          }}
        />
      )}
      {problem !== null && problem.status !== 412 && (at === null || !known.has(at)) && (
        <ProblemPanel problem={problem} />
      )}
      {existing === null && (
        <>
          {home !== 'estate' && <PlaceFields home={home} place={place} onChange={setPlace} />}
          <TextInput
            label={t('name')}
            required
            value={name}
            error={
              isAsked && object.name === '' ? t('required') : at === 'name' ? fieldMessage(undefined, problem) : null
            }
            spellCheck={false}
            autoComplete="off"
            data-autofocus
            styles={{ input: { fontFamily: 'var(--bw-mono)' } }}
            onChange={(event) => {
              setName(event.currentTarget.value);
              save.reset();
            }}
          />
        </>
      )}
      {kind === 'route' ? (
        <RouteClauseFields
          estate={estate}
          bind={(clause) => {
            const { value, error, onChange } = bind(clauseFields[clause]);
            return { value: typeof value === 'string' || typeof value === 'number' ? String(value) : '', error, onChange };
          }}
        />
      ) : (
        fieldsOf(kind, existing === null ? 'create' : 'alter').map((field) => (
          <ObjectField key={field.field} field={field} place={place} {...bind(field.field)} />
        ))
      )}
      {existing !== null && fieldsOf(kind, 'alter').length === 0 && (
        <p className={classes.note}>{t(`kinds.${kind}.what`)}</p>
      )}
    </SideForm>
  );
}

function firstDatabase(instance: { databases: { name: string }[] } | undefined): string | null {
  const names = instance?.databases.map(({ name }) => name) ?? [];
  return names.find((name) => !['master', 'msdb'].includes(name.toLowerCase())) ?? names[0] ?? null;
}

function nameOnly({ instance, database, name }: ObjectName): ObjectName {
  return { instance, database: database ?? null, name };
}

type Place = { instance: string; database: string | null };

function PlaceFields({
  home,
  place,
  onChange,
}: {
  home: 'instance' | 'database';
  place: Place;
  onChange: (place: Place) => void;
}) {
  const { t } = useTranslation('objects');
  const { instances } = useEstatePage();
  const databases = instances.find(({ name }) => name === place.instance)?.databases.map(({ name }) => name) ?? [];
  return (
    <>
      <NativeSelect
        label={t('instance')}
        value={place.instance}
        data={instances.map(({ name }) => name)}
        onChange={(event) => {
          const instance = event.currentTarget.value;
          onChange({ instance, database: firstDatabase(instances.find(({ name }) => name === instance)) });
        }}
      />
      {home === 'database' && (
        <NativeSelect
          label={t('database')}
          value={place.database ?? ''}
          data={databases}
          onChange={(event) => {
            onChange({ ...place, database: event.currentTarget.value });
          }}
        />
      )}
    </>
  );
}

/** What the server would say to it: asked when the typing pauses, nothing is decided. */
function useTried(
  kind: KindName,
  object: ObjectName,
  patch: Record<string, unknown>,
  { isNew, isOn, draft }: { isNew: boolean; isOn: boolean; draft: number | null },
): Problem | null {
  const { name: estate } = useEstatePage();
  const now = JSON.stringify({ object: nameOnly(object), patch, draft });
  const [asked] = useDebouncedValue(now, typingPause);
  const { data, error } = useQuery({
    queryKey: ['tried', estate, kind, isNew, asked],
    enabled: isOn && asked === now,
    retry: false,
    queryFn: async () => tryObject(estate, kind, nameOnly(object), patch, { isNew, draft }),
  });
  if (!isOn || asked !== now) {
    return null;
  }
  return error !== null ? asProblem(error) : (data ?? null);
}
