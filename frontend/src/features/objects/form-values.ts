// The values of a form of objects, and what of them goes to the server.
import type { ListedObject } from '@/contracts/api';
import { lifetimeOf } from '@/topology/route-clauses';

import { kinds, type FieldName, type FormField, type KindName } from './kinds';

export type Values = Readonly<Partial<Record<FieldName, unknown>>>;

/** The fields of a form: those for a new object, or those that can be altered. */
export function fieldsOf(kind: KindName, use: 'create' | 'alter'): FormField[] {
  return kinds[kind].form.filter(({ only }) => only === undefined || only === use);
}

/** What a form begins with: what the object has, or what a new one is proposed to have. */
export function initialValues(kind: KindName, existing: ListedObject | null): Values {
  const fields = fieldsOf(kind, existing === null ? 'create' : 'alter');
  return Object.fromEntries(
    fields.map((field) => {
      const held =
        field.field === 'lifetime_seconds'
          ? lifetimeOf(expiryOf(existing), Date.now())
          : existing?.fields[field.path ?? field.field];
      return [field.field, held ?? field.initial ?? (field.shape === 'flag' ? false : '')];
    }),
  );
}

function expiryOf(existing: ListedObject | null): string | null {
  const held = existing?.fields.expires_at;
  return typeof held === 'string' ? held : null;
}

/** Values as the server takes them: no text is null, and ACTIVATION is one field. */
export function sent(kind: KindName, values: Values, use: 'create' | 'alter'): Record<string, unknown> {
  const fields = fieldsOf(kind, use).filter(({ field }) => field in values);
  const body: Record<string, unknown> = {};
  for (const { field, shape, part } of fields) {
    if (part === undefined) {
      body[field] = valueSent(values[field], shape);
    }
  }
  if (fields.some(({ part }) => part === 'activation')) {
    const procedure = text(values.procedure_name);
    body.activation =
      procedure === ''
        ? null
        : {
            procedure_name: procedure,
            max_queue_readers: Number(values.max_queue_readers ?? 1),
            execute_as: text(values.execute_as) || 'SELF',
            is_enabled: values.activation === true,
          };
  }
  if (use === 'create') {
    return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null));
  }
  return body;
}

/** Only what differs from what the form began with. */
export function changedValues(kind: KindName, before: Values, after: Values): Record<string, unknown> {
  const old = sent(kind, before, 'alter');
  return Object.fromEntries(
    Object.entries(sent(kind, after, 'alter')).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(old[name]),
    ),
  );
}

function valueSent(value: unknown, shape: FormField['shape']): unknown {
  if (shape === 'number') {
    return value === '' || value === undefined ? null : Number(value);
  }
  return typeof value === 'string' ? value.trim() || null : value;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.trim() : '';
}

/** The field that a pointer of the server names; parts of ACTIVATION have fields of their own. */
export function fieldAt(pointer: string | null): string | null {
  if (pointer === null) {
    return null;
  }
  const [, base, name = null] = pointer.split('/');
  return base === 'patch' || base === 'fields' ? name : (base ?? null);
}
