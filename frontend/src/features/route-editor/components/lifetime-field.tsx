import { SegmentedControl, Input, TextInput } from '@mantine/core';
import type { ReactNode } from 'react';

type Props = { value: string; error: ReactNode; onBlur: () => void; onChange: (value: string) => void };

const oneHour = '3600';

/** LIFETIME: none, or seconds from the moment of saving. */
export function LifetimeField({ value, error, onBlur, onChange }: Props) {
  return (
    <Input.Wrapper label="Lifetime" description="Counts from the moment of saving. An expired route stays in the table and matches nothing.">
      <SegmentedControl
        fullWidth
        mt={6}
        size="xs"
        aria-label="Lifetime"
        value={value === '' ? 'never' : 'expires'}
        onChange={(choice) => {
          onChange(choice === 'never' ? '' : oneHour);
        }}
        data={[
          { value: 'never', label: 'Never expires' },
          { value: 'expires', label: 'Expires' },
        ]}
      />
      {value !== '' && (
        <TextInput
          mt={8}
          aria-label="Lifetime in seconds"
          inputMode="numeric"
          rightSection="s"
          value={value}
          error={error}
          onBlur={onBlur}
          onChange={(event) => {
            onChange(event.currentTarget.value);
          }}
        />
      )}
    </Input.Wrapper>
  );
}
