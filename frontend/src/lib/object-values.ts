// Fields of objects and what they hold, in words.
import { i18n } from '@/i18n';

import { absoluteTime } from './time';

/** The name of a field, as lists and forms have it; `authentication.certificate` goes by its last part. */
export function fieldText(name: string): string {
  const key = name.slice(name.lastIndexOf('.') + 1);
  return i18n.t(`objects:fields.${key as 'name'}`, { defaultValue: key.replaceAll('_', ' ') });
}

const instant = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * A value as a person reads it: texts as they are, instants in the zone that was chosen, lists with commas, nothing as
 * a dash.
 */
export function valueText(value: unknown): string {
  if (value === null || value === undefined || value === '') {
    return '–';
  }
  if (typeof value === 'boolean') {
    return i18n.t(value ? 'topology:value.yes' : 'topology:value.no');
  }
  if (Array.isArray(value)) {
    return value.length === 0 ? i18n.t('topology:value.none') : value.map(valueText).join(', ');
  }
  if (typeof value === 'string' && instant.test(value)) {
    return absoluteTime(Date.parse(value));
  }
  return typeof value === 'string' || typeof value === 'number' ? String(value) : JSON.stringify(value);
}
