import i18n from 'i18next';

/** A number as the language of the page groups and points it; for numbers that stand alone, outside of a message. */
export function numberText(value: number): string {
  return value.toLocaleString(i18n.language);
}
