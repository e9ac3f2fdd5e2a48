import i18n from 'i18next';

/** A number as the language of the page groups and points it; for numbers that stand alone, outside of a message. */
export function numberText(value: number): string {
  return value.toLocaleString(i18n.language);
}

const byteUnits = ['byte', 'kilobyte', 'megabyte', 'gigabyte', 'terabyte'];

/** A size as SQL Server counts it, in steps of 1,024: `12 kB`, `1.5 MB`. */
export function bytesText(bytes: number): string {
  const step = Math.min(byteUnits.length - 1, bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10));
  return (bytes / 1024 ** step).toLocaleString(i18n.language, {
    style: 'unit',
    unit: byteUnits[step] ?? 'byte',
    unitDisplay: 'short',
    maximumFractionDigits: step === 0 ? 0 : 1,
  });
}
