// Between a route as the server tells it, the fields of the form, and the clauses that are sent.
import type { Route, RouteClauses, RoutePatch } from '@/contracts/api';

import type { RouteFields } from './validate';

export const emptyFields: RouteFields = {
  name: '',
  serviceName: '',
  brokerInstance: '',
  address: '',
  mirrorAddress: '',
  lifetimeSeconds: '',
};

export function fieldsOf(route: Route, now: number): RouteFields {
  return {
    name: route.name,
    serviceName: route.service_name ?? '',
    brokerInstance: route.broker_instance ?? '',
    address: route.address,
    mirrorAddress: route.mirror_address ?? '',
    lifetimeSeconds: lifetimeOf(route.expires_at, now)?.toString() ?? '',
  };
}

/** Seconds that a route has left, at least one; null when it never expires. */
export function lifetimeOf(expiresAt: string | null, now: number): number | null {
  return expiresAt === null ? null : Math.max(1, Math.ceil((Date.parse(expiresAt) - now) / 1000));
}

const orNull = (text: string): string | null => (text === '' ? null : text);

export function clausesOf(fields: RouteFields): RouteClauses {
  return {
    name: fields.name,
    address: fields.address,
    service_name: orNull(fields.serviceName),
    broker_instance: orNull(fields.brokerInstance),
    mirror_address: orNull(fields.mirrorAddress),
    lifetime_seconds: fields.lifetimeSeconds === '' ? null : Number(fields.lifetimeSeconds),
  };
}

/** Only what differs from what the form began with: a lifetime nobody touched must not begin anew. */
export function patchOf(before: RouteFields, after: RouteFields): RoutePatch {
  const old = clausesOf(before);
  const changed = Object.entries(clausesOf(after)).filter(
    ([clause, value]) => old[clause as keyof RouteClauses] !== value,
  );
  return Object.fromEntries(changed);
}

/** How the route will look, before the server has said so. */
export function previewOf(fields: RouteFields, now: number, instanceAt: (address: string) => string | null): Route {
  const word = fields.address.toUpperCase();
  return {
    name: fields.name,
    service_name: orNull(fields.serviceName),
    broker_instance: orNull(fields.brokerInstance),
    expires_at:
      fields.lifetimeSeconds === '' ? null : new Date(now + Number(fields.lifetimeSeconds) * 1000).toISOString(),
    is_expired: false,
    address: fields.address,
    address_kind: word === 'LOCAL' ? 'local' : word === 'TRANSPORT' ? 'transport' : 'tcp',
    mirror_address: orNull(fields.mirrorAddress),
    target_instance: instanceAt(fields.address),
    mirror_target_instance: fields.mirrorAddress === '' ? null : instanceAt(fields.mirrorAddress),
  };
}

const pointers: Readonly<Record<string, keyof RouteFields>> = {
  '/name': 'name',
  '/service_name': 'serviceName',
  '/broker_instance': 'brokerInstance',
  '/address': 'address',
  '/mirror_address': 'mirrorAddress',
  '/lifetime_seconds': 'lifetimeSeconds',
};

/** Which of the form's fields a server's JSON pointer means, be it of a route or of an edit of objects. */
export function fieldAt(pointer: string | null): keyof RouteFields | null {
  return pointer === null ? null : (pointers[pointer.replace(/^\/(fields|patch)/, '')] ?? null);
}
