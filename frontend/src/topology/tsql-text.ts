// The T-SQL that would define an object, for reading and copying.
import type { Database, Instance, Route, Service } from '@/contracts/api';

function bracketed(name: string): string {
  return `[${name.replaceAll(']', ']]')}]`;
}

function quoted(text: string): string {
  return `N'${text.replaceAll("'", "''")}'`;
}

/** `dbo.Orders` as `[dbo].[Orders]`. */
function queueName(name: string): string {
  return name.split('.').map(bracketed).join('.');
}

/** Whole seconds from `now` to the expiry; what has expired cannot be written as a lifetime. */
function secondsLeft(expiresAt: string, now: Date): number {
  return Math.ceil((Date.parse(expiresAt) - now.getTime()) / 1000);
}

export function routeText(database: string, route: Route, now: Date): string {
  const clauses: string[] = [];
  if (route.service_name !== null) {
    clauses.push(`SERVICE_NAME = ${quoted(route.service_name)}`);
  }
  if (route.broker_instance !== null) {
    clauses.push(`BROKER_INSTANCE = ${quoted(route.broker_instance)}`);
  }
  if (route.expires_at !== null) {
    const left = secondsLeft(route.expires_at, now);
    clauses.push(left > 0 ? `LIFETIME = ${left}` : `/* expired ${route.expires_at} */ LIFETIME = 1`);
  }
  clauses.push(`ADDRESS = ${quoted(route.address)}`);
  if (route.mirror_address !== null) {
    clauses.push(`MIRROR_ADDRESS = ${quoted(route.mirror_address)}`);
  }
  return `USE ${bracketed(database)};\nCREATE ROUTE ${bracketed(route.name)} WITH\n    ${clauses.join(',\n    ')};`;
}

/** The statement that changes a route, as it is now: to be changed before it is run. */
export function routeChangeText(database: string, route: Route, now: Date): string {
  return routeText(database, route, now).replace('\nCREATE ROUTE ', '\nALTER ROUTE ');
}

/** A route that is still to be written; `toward` is the address that it shall lead to, if that is known. */
export function routeDraftText(database: string, service: string | null, toward: string | null): string {
  const clauses = [
    ...(service === null ? [] : [`SERVICE_NAME = ${quoted(service)}`]),
    `ADDRESS = ${quoted(toward ?? 'TCP://')}`,
  ];
  return `USE ${bracketed(database)};\nCREATE ROUTE ${bracketed('NewRoute')} WITH\n    ${clauses.join(',\n    ')};`;
}

export function serviceText(database: string, service: Service): string {
  const contracts = service.contracts.map((name) => `    ${bracketed(name)}`).join(',\n');
  const list = contracts === '' ? '' : `\n(\n${contracts}\n)`;
  const owner = service.owner === 'dbo' ? '' : ` AUTHORIZATION ${bracketed(service.owner)}`;
  const create = `CREATE SERVICE ${bracketed(service.name)}${owner}\n    ON QUEUE ${queueName(service.queue)}${list};`;
  return [`USE ${bracketed(database)};`, create, ...permissionLines(service)].join('\n');
}

/** What makes the permissions of a new service those of this one; here a new service is open to public. */
function permissionLines({ name, send_permissions: permissions }: Service): string[] {
  const lines = permissions.map(
    ({ grantee, is_denied: isDenied }) =>
      `${isDenied ? 'DENY' : 'GRANT'} SEND ON SERVICE::${bracketed(name)} TO ${bracketed(grantee)};`,
  );
  const isClosed = !permissions.some((one) => one.grantee === 'public');
  return isClosed ? [`REVOKE SEND ON SERVICE::${bracketed(name)} FROM [public];`, ...lines] : lines;
}

export function databaseText(database: Database): string {
  const name = bracketed(database.name);
  const lines = [
    `CREATE DATABASE ${name};  -- broker_instance: ${database.broker_instance}`,
    `ALTER DATABASE ${name} SET ${database.is_broker_enabled ? 'ENABLE_BROKER' : 'DISABLE_BROKER'};`,
  ];
  if (database.partner_address !== null) {
    lines.push(`ALTER DATABASE ${name} SET PARTNER = ${quoted(database.partner_address)};`);
  }
  return lines.join('\n');
}

/** The statement that enables or disables a database's broker: what is not so now. */
export function brokerSwitchText({ name, is_broker_enabled: isEnabled }: Database): string {
  return `ALTER DATABASE ${bracketed(name)} SET ${isEnabled ? 'DISABLE_BROKER' : 'ENABLE_BROKER'};`;
}

/** The statement that changes an endpoint, as it is now: to be changed before it is run. */
export function endpointChangeText(instance: Instance): string | null {
  const create = endpointText(instance);
  return create === null ? null : (create.split('\nGRANT ')[0]?.split('\nDENY ')[0] ?? '').replace('CREATE ', 'ALTER ');
}

export function endpointText(instance: Instance): string | null {
  const endpoint = instance.endpoint;
  if (endpoint === null) {
    return null;
  }
  const forwarding = endpoint.is_message_forwarding_enabled
    ? `ENABLED,\n    MESSAGE_FORWARD_SIZE = ${endpoint.message_forward_size_megabytes}`
    : 'DISABLED';
  return [
    `CREATE ENDPOINT ${bracketed(endpoint.name)} STATE = ${endpoint.state}`,
    `AS TCP (LISTENER_PORT = ${endpoint.port})`,
    `FOR SERVICE_BROKER (\n    AUTHENTICATION = ${endpoint.authentication},\n    ENCRYPTION = ${endpoint.encryption},\n    MESSAGE_FORWARDING = ${forwarding}\n);`,
    ...endpoint.trust.connect_permissions.map(
      ({ grantee, is_denied: isDenied }) =>
        `${isDenied ? 'DENY' : 'GRANT'} CONNECT ON ENDPOINT::${bracketed(endpoint.name)} TO ${bracketed(grantee)};`,
    ),
  ].join('\n');
}
