// Objects of a change set or of the log in words.
import type { AuditRow, DraftObject } from '@/contracts/api';
import { i18n } from '@/i18n';

/** `PARIS · Ventes`, or `PARIS` for what belongs to the instance itself. */
export function objectPlace({ instance, database }: Pick<DraftObject, 'instance' | 'database'>): string {
  return database === null ? instance : `${instance} · ${database}`;
}

/** The kind of an object, as in `message type`. */
export function kindText(kind: AuditRow['objects'][number]['kind']): string {
  return i18n.t(`topology:kind.${kind}`);
}

/** The kind of what a finding is about: the API spells it with spaces, and a priority as `broker priority`. */
export function subjectKindText(kind: string): string {
  const key = kind.replaceAll(' ', '-');
  return i18n.t(`topology:kind.${key as DraftObject['kind']}`, { defaultValue: kind });
}

/** Who did it; nobody when the account is gone, or a machine did. */
export function authorText(author: string | null): string {
  return author ?? i18n.t('topology:nobody');
}
