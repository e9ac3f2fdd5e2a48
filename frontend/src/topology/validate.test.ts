import { describe, expect, it } from 'vitest';

import { emptyFields } from './route-clauses';
import { validateRoute, type RouteFields } from './validate';

const good: RouteFields = { ...emptyFields, name: 'VersLyon', address: 'TCP://lyon:4022' };
const mirrored: RouteFields = { ...good, serviceName: 'S', brokerInstance: 'b', mirrorAddress: 'TCP://berlin:4022' };

describe('the shape of a route', () => {
  it.each([
    good,
    mirrored,
    { ...good, address: 'LOCAL' },
    { ...good, address: 'transport' },
    { ...good, address: 'tcp://[::1]:4022/' },
    { ...good, address: 'tcp://lyon.example.org:1/path' },
    { ...good, lifetimeSeconds: '1' },
    { ...good, lifetimeSeconds: '2147483647' },
    // Whether a text that is no GUID is acceptable is for the server to say.
    { ...good, serviceName: 'S', brokerInstance: 'no guid' },
  ])('has nothing wrong with %j', (fields) => {
    expect(validateRoute(fields)).toEqual([]);
  });

  it.each<[string, Partial<RouteFields>, keyof RouteFields, number | null]>([
    ['no name', { name: ' ' }, 'name', null],
    ['no address', { address: '' }, 'address', null],
    ['an address without port', { address: 'TCP://lyon' }, 'address', 9744],
    ['an address that is none', { address: 'lyon:4022' }, 'address', 9744],
    ['a port that is none', { address: 'TCP://lyon:70000' }, 'address', 9744],
    ['a broker instance without service', { brokerInstance: 'b' }, 'brokerInstance', 9662],
    [
      'a mirror address without broker instance',
      { serviceName: 'S', mirrorAddress: 'TCP://berlin:4022' },
      'mirrorAddress',
      9661,
    ],
    ['TRANSPORT with a service', { address: 'TRANSPORT', serviceName: 'S' }, 'address', 9745],
    ['a lifetime of zero', { lifetimeSeconds: '0' }, 'lifetimeSeconds', 9746],
    ['a lifetime that is no number', { lifetimeSeconds: 'soon' }, 'lifetimeSeconds', 9746],
    ['a service name of 257 characters', { serviceName: 'x'.repeat(257) }, 'serviceName', 9660],
  ])('reports %s', (_words, change, field, number) => {
    expect(validateRoute({ ...good, ...change })).toMatchObject([{ field, number }]);
  });

  it.each<[string, Partial<RouteFields>, keyof RouteFields, number]>([
    ['a mirrored route to LOCAL', { address: 'LOCAL' }, 'address', 9743],
    ['a mirror address LOCAL', { mirrorAddress: 'LOCAL' }, 'mirrorAddress', 9743],
    [
      'a mirror address equal to the address but for case',
      { mirrorAddress: 'tcp://LYON:4022/' },
      'mirrorAddress',
      9747,
    ],
    ['a mirror address without port', { mirrorAddress: 'TCP://berlin' }, 'mirrorAddress', 9744],
  ])('reports %s', (_words, change, field, number) => {
    expect(validateRoute({ ...mirrored, ...change })).toMatchObject([{ field, number }]);
  });
});
