import { describe, expect, it } from 'vitest';

import { demoEstate } from '@/testing/demo-estate';

import { flowOfSubject } from './flow-of-subject';
import { everyService } from './lookup';

const estate = demoEstate();

function someRoute(isNamed: boolean) {
  for (const { name: instance, databases } of estate.instances) {
    for (const { name: database, routes, services } of databases) {
      const route = routes.find(({ service_name: service }) => (service !== null) === isNamed);
      if (route !== undefined && services.length > 0) {
        return { instance, database, route, services };
      }
    }
  }
  throw new Error('The estate for tests has no such route.');
}

describe('the flow of what a finding is about', () => {
  it('goes by a route from a service beside it to the one that it names', () => {
    const { instance, database, route, services } = someRoute(true);
    const found = flowOfSubject(estate, { instance, database, kind: 'route', name: route.name });
    expect(found).toMatchObject({ to: route.service_name, id: route.broker_instance });
    expect(services.map(({ name }) => name)).toContain(found?.from?.service);
  });

  it('goes to a service, and nobody says from where', () => {
    const [place] = everyService(estate);
    const { instance, database, value } = place ?? { instance: '', database: '', value: { name: '' } };
    expect(flowOfSubject(estate, { instance, database, kind: 'service', name: value.name })).toEqual({
      to: value.name,
    });
  });

  it('is not told by a route that names no service, nor by what is gone or no flow', () => {
    const { instance, database, route } = someRoute(false);
    for (const subject of [
      { kind: 'route', name: route.name },
      { kind: 'route', name: 'gone' },
      { kind: 'service', name: 'gone' },
      { kind: 'database', name: database },
    ]) {
      expect(flowOfSubject(estate, { instance, database, ...subject })).toBeNull();
    }
    expect(flowOfSubject(estate, { instance, database: null, kind: 'instance', name: instance })).toBeNull();
  });
});
