import { afterEach, describe, expect, it } from 'vitest';

import { fieldText, valueText } from './object-values';
import { setTimeZone, utc } from './time';

afterEach(() => {
  setTimeZone(utc);
});

describe('fields of objects', () => {
  it('are called as lists call them, and by their last part', () => {
    expect(fieldText('service_name')).toBe('Service name');
    expect(fieldText('activation.procedure_name')).toBe('Activation procedure');
    expect(fieldText('not_in_any_list')).toBe('not in any list');
  });

  it('hold instants in the zone that was chosen, and other texts as they are', () => {
    setTimeZone('Europe/Paris');
    expect(valueText('2024-03-31T22:00:00.492000Z')).toBe('1 Apr 2024, 00:00:00 UTC+2');
    expect(valueText('TCP://lyon:4022')).toBe('TCP://lyon:4022');
    expect(valueText([])).toBe('none');
  });
});
