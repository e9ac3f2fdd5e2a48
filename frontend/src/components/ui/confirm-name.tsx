import { Button, Group, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';

type Props = {
  /** What has to be typed. */
  name: string;
  verb: string;
  children: ReactNode;
  isBusy: boolean;
  onConfirm: () => void;
  onCancel: () => void;
};

/** The last step before what cannot be taken back lightly: the object's name is typed. */
export function ConfirmName({ name, verb, children, isBusy, onConfirm, onCancel }: Props) {
  const [typed, setTyped] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (typed === name) {
          onConfirm();
        }
      }}
    >
      {children}
      <TextInput
        label={`Type ${name} to confirm`}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
        }}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        ff="monospace"
      />
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          Cancel
        </Button>
        <Button type="submit" color="red" disabled={typed !== name} loading={isBusy}>
          {verb}
        </Button>
      </Group>
    </form>
  );
}
