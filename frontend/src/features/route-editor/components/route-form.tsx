import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useEffect, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { RouteClauseFields } from '@/components/route/route-clause-fields';
import { fieldMessage } from '@/components/ui/field-message';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SideForm } from '@/components/ui/side-form';
import type { Estate } from '@/contracts/api';
import type { Problem } from '@/lib/errors';
import { tellMistake } from '@/lib/form-mistakes';
import { fieldAt } from '@/topology/route-clauses';
import { formatSelection, type DatabasePath } from '@/topology/selection';
import { validateRoute, type RouteFields } from '@/topology/validate';

/** Milliseconds without a key after which what is typed is judged. */
const typingPause = 500;

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
  const { t } = useTranslation(['route', 'common']);
  const [fields, setFields] = useState(initial);
  const [touched, setTouched] = useState<ReadonlySet<keyof RouteFields>>(new Set());
  const [answeredFor, setAnsweredFor] = useState<RouteFields | null>(null);
  const found = validateRoute(fields);
  const refusedField = fieldAt(problem?.pointer ?? null);
  const [settled] = useDebouncedValue(fields, typingPause);
  const isShown = (field: keyof RouteFields) =>
    touched.has(field) || (fields[field] !== initial[field] && settled[field] === fields[field]);
  const isMistaken = found.some(({ field }) => isShown(field));
  useMistake(isMistaken, scope, existing);

  const bind = (field: keyof RouteFields) => ({
    value: fields[field],
    onBlur: () => {
      setTouched(new Set([...touched, field]));
    },
    error: fieldMessage(
      isShown(field) ? found.find((one) => one.field === field) : undefined,
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
      label={existing === null ? t('labelAdd', { database: scope.database }) : t('labelChange', { name: existing })}
      kind={existing === null ? t('kindAdd') : t('kindChange')}
      name={existing ?? (fields.name || t('unnamed'))}
      place={`${scope.instance} · ${scope.database}`}
      onSubmit={submit}
      onClose={onCancel}
      actions={
        <>
          <Button type="submit" loading={isBusy} disabled={isMistaken}>
            {existing === null ? t('add') : t('save')}
          </Button>
          <Button variant="default" onClick={onCancel}>
            {t('common:cancel')}
          </Button>
        </>
      }
    >
      {notice}
      {problem !== null && refusedField === null && notice === null && <ProblemPanel problem={problem} />}
      {existing === null && (
        <TextInput
          label={t('name')}
          description={t('nameHint')}
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
      <RouteClauseFields estate={estate} bind={(clause) => ({ ...bind(clause), onChange: set(clause) })} />
    </SideForm>
  );
}

/** Tells everybody who draws the object that its form has a mistake, as long as it has. */
function useMistake(isMistaken: boolean, { instance, database }: DatabasePath, route: string | null): void {
  const about = formatSelection(
    route === null ? { kind: 'database', instance, database } : { kind: 'route', instance, database, route },
  );
  useEffect(() => {
    tellMistake(isMistaken ? about : null);
    return () => {
      tellMistake(null);
    };
  }, [isMistaken, about]);
}
