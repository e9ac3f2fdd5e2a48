import { SegmentedControl, Input, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

type Props = { value: string; error: ReactNode; onBlur?: () => void; onChange: (value: string) => void };

const oneHour = '3600';

/** LIFETIME: none, or seconds from the moment of saving. */
export function LifetimeField({ value, error, onBlur, onChange }: Props) {
  const { t } = useTranslation('route');
  return (
    <Input.Wrapper label={t('lifetime')} description={t('lifetimeHint')}>
      <SegmentedControl
        fullWidth
        mt={6}
        size="xs"
        aria-label={t('lifetime')}
        value={value === '' ? 'never' : 'expires'}
        onChange={(choice) => {
          onChange(choice === 'never' ? '' : oneHour);
        }}
        data={[
          { value: 'never', label: t('lifetimeNever') },
          { value: 'expires', label: t('lifetimeEnds') },
        ]}
      />
      {value !== '' && (
        <TextInput
          mt={8}
          aria-label={t('lifetimeSeconds')}
          inputMode="numeric"
          rightSection="s"
          value={value}
          error={error}
          {...(onBlur === undefined ? {} : { onBlur })}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      )}
    </Input.Wrapper>
  );
}
