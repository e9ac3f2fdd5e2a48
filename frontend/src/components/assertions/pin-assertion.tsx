import { Anchor, Button, Checkbox, Modal, Stack, TagsInput, TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPin } from '@tabler/icons-react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { AssertionRequest, Fault, FlowQuestion } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { createAssertion } from '@/lib/api/assertions';
import { asProblem } from '@/lib/errors';
import { keys } from '@/lib/query-client';

export type Pinned = {
  question: FlowQuestion;
  faults?: readonly Fault[];
  at?: string | null;
  draft?: number | null;
  revision?: number | null;
};

type Props = { estate: string; pinned: Pinned; size?: 'xs' | 'compact-xs' };

/** Keeps what comes of a question as an assertion: from then on a run tells when something else comes of it. */
export function PinAssertion({ estate, pinned, size = 'xs' }: Props) {
  const { t } = useTranslation('assertions');
  const missing = useMissingRight('edit');
  const [isOpen, open] = useState(false);
  return (
    <>
      <GuardedButton
        barred={missing}
        variant="default"
        size={size}
        leftSection={<IconPin size={14} />}
        onClick={() => {
          open(true);
        }}
      >
        {t('pin.open')}
      </GuardedButton>
      {isOpen && (
        <PinDialog
          estate={estate}
          pinned={pinned}
          onClose={() => {
            open(false);
          }}
        />
      )}
    </>
  );
}

function PinDialog({ estate, pinned, onClose }: { estate: string; pinned: Pinned; onClose: () => void }) {
  const { t } = useTranslation('assertions');
  const queries = useQueryClient();
  const { question } = pinned;
  const [name, setName] = useState(() => proposedName(question));
  const [tags, setTags] = useState<string[]>([]);
  const [hasPath, setPath] = useState(false);
  const pin = useMutation({
    mutationFn: () => createAssertion(estate, requestOf(pinned, name, tags, hasPath)),
    onSuccess: ({ id, name: given }) => {
      onClose();
      tellPinned(t('pin.done', { name: given }), t('pin.show'), assertionAddress(estate, id, given));
    },
    onSettled: () => queries.invalidateQueries({ queryKey: keys.assertions(estate) }),
  });
  const problem = pin.isError ? asProblem(pin.error) : null;
  const isNamed = problem?.pointer === '/name';
  return (
    <Modal opened onClose={onClose} title={t('pin.title')} size="lg">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          pin.mutate();
        }}
      >
        <Stack gap={12}>
          <TextInput
            label={t('field.name')}
            value={name}
            maxLength={200}
            data-autofocus
            error={isNamed ? problem.detail : null}
            onChange={(event) => {
              setName(event.currentTarget.value);
            }}
          />
          <TagsInput label={t('field.tags')} value={tags} onChange={setTags} />
          <Checkbox
            label={t('pin.path')}
            description={t('pin.pathAbout')}
            checked={hasPath}
            onChange={(event) => {
              setPath(event.currentTarget.checked);
            }}
          />
          {problem !== null && !isNamed && <ProblemPanel problem={problem} />}
          <Button type="submit" loading={pin.isPending} style={{ alignSelf: 'start' }}>
            {t('pin.do')}
          </Button>
        </Stack>
      </form>
    </Modal>
  );
}

/** Where an assertion is shown. */
export const assertionAddress = (estate: string, id: number, name: string) =>
  `/estates/${encodeURIComponent(estate)}/assertions?assertion=${id}&search=${encodeURIComponent(name)}`;

function proposedName({ instance, service, to_service: to, broker_instance: id }: FlowQuestion): string {
  return `${instance} ${service} → ${to}${id === null ? '' : ` ${id}`}`.slice(0, 200);
}

function requestOf({ question, faults, at, draft, revision }: Pinned, name: string, tags: string[], path: boolean) {
  const request: AssertionRequest = {
    question,
    name: name.trim() === '' ? null : name.trim(),
    note: '',
    tags,
    is_enabled: true,
    faults: [...(faults ?? [])],
    at: at ?? null,
    pin: { change_set: draft ?? null, revision: revision ?? null, with_path: path },
  };
  return request;
}

function tellPinned(text: string, word: string, to: string): void {
  notifications.show({
    color: 'accent',
    autoClose: 12_000,
    message: (
      <>
        {text}{' '}
        <Anchor href={to} size="sm">
          {word}
        </Anchor>
      </>
    ),
  });
}
