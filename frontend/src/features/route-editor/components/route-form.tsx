import { Button, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';

import { fieldMessage } from '@/components/ui/field-message';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SideForm } from '@/components/ui/side-form';
import { SuggestInput } from '@/components/ui/suggest-input';
import type { Estate } from '@/contracts/api';
import type { Problem } from '@/lib/errors';
import { fieldAt } from '@/topology/route-clauses';
import type { DatabasePath } from '@/topology/selection';
import { addressSuggestions, brokerSuggestions, serviceSuggestions } from '@/topology/suggestions';
import { validateRoute, type RouteFields } from '@/topology/validate';

import { LifetimeField } from './lifetime-field';

type Props = {
  estate: Estate;
  scope: DatabasePath;
  /** Null for a new route; the name of a route cannot be changed. */
  existing: string | null;
  initial: RouteFields;
  problem: Problem | null;
  isBusy: boolean;
  /** Shown above the fields: somebody else changed the estate meanwhile. */
  notice: ReactNode;
  onSubmit: (fields: RouteFields) => void;
  onCancel: () => void;
};

/** A route's clauses. Problems of shape show while typing; what the server refuses shows at its field. */
export function RouteForm({ estate, scope, existing, initial, problem, isBusy, notice, onSubmit, onCancel }: Props) {
  const [fields, setFields] = useState(initial);
  const [touched, setTouched] = useState<ReadonlySet<keyof RouteFields>>(new Set());
  const [answeredFor, setAnsweredFor] = useState<RouteFields | null>(null);
  const found = validateRoute(fields);
  const refusedField = fieldAt(problem?.pointer ?? null);

  const bind = (field: keyof RouteFields) => ({
    value: fields[field],
    onBlur: () => {
      setTouched(new Set([...touched, field]));
    },
    error: fieldMessage(
      touched.has(field) ? found.find((one) => one.field === field) : undefined,
      // The server spoke of the value it was sent; once that is edited, its words no longer fit.
      refusedField === field && answeredFor?.[field] === fields[field] ? problem : null,
    ),
  });
  const set = (field: keyof RouteFields) => (value: string) => {
    setFields({ ...fields, [field]: field === 'name' || field === 'serviceName' ? value : value.trim() });
  };
  const submit = () => {
    setTouched(new Set(Object.keys(fields) as (keyof RouteFields)[]));
    if (found.length === 0) {
      setAnsweredFor(fields);
      onSubmit(fields);
    }
  };

  return (
    <SideForm
      label={existing === null ? `Add a route to ${scope.database}` : `Change route ${existing}`}
      kind={existing === null ? 'New route' : 'Change route'}
      name={existing ?? (fields.name || 'Unnamed')}
      place={`${scope.instance} · ${scope.database}`}
      onSubmit={submit}
      onClose={onCancel}
      actions={
        <>
          <Button type="submit" loading={isBusy}>
            {existing === null ? 'Add route' : 'Save changes'}
          </Button>
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
        </>
      }
    >
      {notice}
      {problem !== null && refusedField === null && notice === null && <ProblemPanel problem={problem} />}
      {existing === null && (
        <TextInput
          label="Name"
          description="A label of this database's table; it never travels."
          required
          spellCheck={false}
          autoComplete="off"
          styles={{ input: { fontFamily: 'var(--bw-mono)' } }}
          data-autofocus
          {...bind('name')}
          onChange={(event) => {
            set('name')(event.currentTarget.value);
          }}
        />
      )}
      <SuggestInput
        label="Service name"
        description="Exactly as the far side spells it, capitals and accents included. Empty matches any service."
        placeholder="∗"
        suggestions={serviceSuggestions(estate)}
        {...bind('serviceName')}
        onChange={set('serviceName')}
      />
      <SuggestInput
        label="Broker instance"
        description="The far database's broker id. Empty matches any."
        placeholder="Any"
        suggestions={brokerSuggestions(estate, fields.serviceName)}
        {...bind('brokerInstance')}
        onChange={set('brokerInstance')}
      />
      <SuggestInput
        label="Address"
        description="TCP://host:port, LOCAL or TRANSPORT."
        required
        suggestions={addressSuggestions(estate, true)}
        {...bind('address')}
        onChange={set('address')}
      />
      <SuggestInput
        label="Mirror address"
        description="Where the mirror partner of the same database listens. Empty for an ordinary route."
        placeholder="None"
        suggestions={addressSuggestions(estate, false)}
        {...bind('mirrorAddress')}
        onChange={set('mirrorAddress')}
      />
      <LifetimeField {...bind('lifetimeSeconds')} onChange={set('lifetimeSeconds')} />
    </SideForm>
  );
}
