import { Button, Group, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { asProblem } from '@/lib/errors';

import { Consequences } from './consequences';

type Props<Answer> = {
  /** Why it cannot be pressed now; null when it can. */
  barred: string | null;
  label: ReactNode;
  /** Where the label alone does not say what it is about. */
  name?: string;
  title: string;
  verb: string;
  size?: 'xs' | 'compact-xs' | 'compact-sm';
  sign?: ReactNode;
  consequences: readonly string[];
  run: () => Promise<Answer>;
  onDone: (answer: Answer) => void;
  /** What stands in place of the consequences when it is done; without it the dialog closes. */
  after?: (answer: Answer) => ReactNode;
};

/** A button that says what it is about to do, and does it when that is confirmed. */
export function ConfirmedButton<Answer>({ barred, label, name, size = 'compact-sm', sign, ...dialog }: Props<Answer>) {
  const [isOpen, open] = useState(false);
  return (
    <>
      <GuardedButton
        barred={barred}
        size={size}
        variant="default"
        leftSection={sign}
        {...(name === undefined ? {} : { 'aria-label': name, title: name })}
        onClick={() => {
          open(true);
        }}
      >
        {label}
      </GuardedButton>
      {isOpen && (
        <Confirmation
          {...dialog}
          onClose={() => {
            open(false);
          }}
        />
      )}
    </>
  );
}

type DialogProps<Answer> = Omit<Props<Answer>, 'barred' | 'label' | 'name' | 'size' | 'sign'> & { onClose: () => void };

function Confirmation<Answer>({ title, verb, consequences, run, onDone, after, onClose }: DialogProps<Answer>) {
  const { t } = useTranslation('common');
  const change = useMutation({
    mutationFn: run,
    onSuccess: (answer) => {
      onDone(answer);
      if (after === undefined) {
        onClose();
      }
    },
  });
  if (after !== undefined && change.data !== undefined) {
    return (
      <Modal opened onClose={onClose} title={title} size="lg">
        {after(change.data)}
        <Group mt="md" justify="flex-end">
          <Button data-autofocus onClick={onClose}>
            {t('close')}
          </Button>
        </Group>
      </Modal>
    );
  }
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      <Consequences of={title}>{consequences}</Consequences>
      {change.isError && <ProblemPanel problem={asProblem(change.error)} />}
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t('cancel')}
        </Button>
        <Button
          data-autofocus
          loading={change.isPending}
          onClick={() => {
            change.mutate();
          }}
        >
          {verb}
        </Button>
      </Group>
    </Modal>
  );
}
