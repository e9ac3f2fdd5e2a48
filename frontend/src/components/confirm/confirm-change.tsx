import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

import { ConfirmName } from '@/components/ui/confirm-name';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { asProblem } from '@/lib/errors';

import { BusyBar } from './busy-bar';
import { Consequences } from './consequences';
import { useChange } from './use-change';

type Props<Answer> = {
  estate: string;
  /** The database whose name is typed. */
  name: string;
  title: string;
  verb: string;
  /** What is said while it is under way. */
  busy: string;
  consequences: readonly ReactNode[];
  run: (key: string) => Promise<Answer>;
  onDone: (answer: Answer) => void;
  onCancel: () => void;
};

/** A change of a database that cannot be taken back: its consequences first, then its name typed. */
export function ConfirmChange<Answer>({
  estate,
  name,
  title,
  verb,
  busy,
  consequences,
  run,
  onDone,
  onCancel,
}: Props<Answer>) {
  const change = useChange(estate, run, onDone);
  return (
    <Modal opened onClose={onCancel} title={title} size="lg">
      <ConfirmName
        name={name}
        verb={verb}
        isBusy={change.isPending}
        onConfirm={() => {
          change.mutate();
        }}
        onCancel={onCancel}
      >
        <Consequences of={title}>{consequences}</Consequences>
        {change.isPending && <BusyBar>{busy}</BusyBar>}
        {change.isError && <ProblemPanel problem={asProblem(change.error)} />}
      </ConfirmName>
    </Modal>
  );
}
