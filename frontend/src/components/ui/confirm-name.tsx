import { Button, Group, TextInput } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

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
  const { t } = useTranslation(['components', 'common']);
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
        label={t('typeToConfirm', { name })}
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
          {t('common:cancel')}
        </Button>
        <Button type="submit" color="red" disabled={typed !== name} loading={isBusy}>
          {verb}
        </Button>
      </Group>
    </form>
  );
}
