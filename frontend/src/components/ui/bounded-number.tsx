import { NumberInput } from '@mantine/core';
import { useTranslation } from 'react-i18next';

type Props = {
  label: string;
  description?: string;
  min: number;
  max: number;
  /** What is typed; it may be no number within the bounds. */
  value: number | string;
  onChange: (value: number | string) => void;
  disabled?: boolean;
  w?: number;
};

/** A whole number within bounds. What is typed beyond them stays as it is typed, and the field says which they are. */
export function BoundedNumber({ label, description, min, max, value, ...props }: Props) {
  const { t } = useTranslation('components');
  return (
    <NumberInput
      {...props}
      label={label}
      {...(description === undefined ? {} : { description })}
      min={min}
      max={max}
      allowDecimal={false}
      clampBehavior="none"
      value={value}
      error={boundedNumber(value, min, max) === null ? t('bounds', { min, max }) : undefined}
    />
  );
}

/** The number that is typed; null where it is none within the bounds. */
export function boundedNumber(value: number | string, min: number, max: number): number | null {
  const number = typeof value === 'number' ? value : value.trim() === '' ? NaN : Number(value);
  return Number.isInteger(number) && number >= min && number <= max ? number : null;
}
