// Who may send to a service, told from its permissions.
import type { PermissionVerb, Service } from '@/contracts/api';
import { i18n } from '@/i18n';

export const PUBLIC = 'public';

/** Whether nobody but the owner and the administrator may begin a dialog with the service. */
export function deniesEverybody(service: Service): boolean {
  const permissions = service.send_permissions;
  return (
    permissions.every((one) => one.is_denied) || permissions.some((one) => one.grantee === PUBLIC && one.is_denied)
  );
}

/** Those of whom nothing is said yet: public and the users of the database, but neither the owner nor dbo. */
export function canBeGranted(service: Service, users: string[]): string[] {
  const settled = new Set(
    [service.owner, 'dbo', ...service.send_permissions.map((one) => one.grantee)].map((name) => name.toLowerCase()),
  );
  return [PUBLIC, ...users].filter((name) => !settled.has(name.toLowerCase()));
}

/** What a change of a permission means, for the person who made it. */
export function permissionWords(grantee: string, verb: PermissionVerb, service: string): string {
  return i18n.t(`topology:permission.${verb}`, { grantee, service });
}
