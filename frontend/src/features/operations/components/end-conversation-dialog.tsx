import { Button, Checkbox, Group, Modal } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';

import { Consequences } from '@/components/confirm/consequences';
import { ConfirmName } from '@/components/ui/confirm-name';
import { ProblemPanel } from '@/components/ui/problem-panel';
import type { ConversationEndResult } from '@/contracts/api';
import { asProblem, isAnswer } from '@/lib/errors';
import { conversationStates } from '@/live/states';

import { endConversations } from '../api/conversations-end';
import { named, type ConversationPath } from '../row-paths';
import { Results } from './results';

/** What is typed to confirm a cleanup: the clause itself. */
const clause = 'WITH CLEANUP';

type Props = { estate: string; conversations: readonly ConversationPath[]; onClose: () => void };

/**
 * END CONVERSATION for one or several: what it does, and a result for each. With cleanup, the clause has to be typed.
 */
export function EndConversationDialog({ estate, conversations, onClose }: Props) {
  const { t } = useTranslation(['operations', 'common']);
  const [withCleanup, setWithCleanup] = useState(false);
  // The same as long as nobody answers: asking again finds what has happened.
  const key = useRef(crypto.randomUUID());
  const end = useMutation({
    mutationFn: () => endConversations(estate, conversations.map(named), withCleanup, key.current),
    onError: (error) => {
      if (isAnswer(asProblem(error))) {
        key.current = crypto.randomUUID();
      }
    },
  });
  const title = t('end.title', { count: conversations.length });
  const confirm = () => {
    end.mutate();
  };
  if (end.data !== undefined) {
    return (
      <Modal opened onClose={onClose} title={title} size="lg">
        <Outcome results={end.data.results} />
        <Group mt="md" justify="flex-end">
          <Button data-autofocus onClick={onClose}>
            {t('common:close')}
          </Button>
        </Group>
      </Modal>
    );
  }
  const body = (
    <>
      <Checkbox
        mb="sm"
        label={t('end.withCleanup')}
        checked={withCleanup}
        onChange={(event) => {
          setWithCleanup(event.currentTarget.checked);
        }}
      />
      <Consequences of={title}>
        {withCleanup
          ? [t('end.cleanupGone'), t('end.cleanupUntold'), t('end.cleanupPurpose')]
          : [t('end.sends'), t('end.waits'), t('end.gone')]}
      </Consequences>
      {end.isError && <ProblemPanel problem={asProblem(end.error)} />}
    </>
  );
  return (
    <Modal opened onClose={onClose} title={title} size="lg">
      {withCleanup ? (
        <ConfirmName name={clause} verb={t('end.verb')} isBusy={end.isPending} onConfirm={confirm} onCancel={onClose}>
          {body}
        </ConfirmName>
      ) : (
        <Confirm verb={t('end.verb')} isBusy={end.isPending} onConfirm={confirm} onCancel={onClose}>
          {body}
        </Confirm>
      )}
    </Modal>
  );
}

function Outcome({ results }: { results: readonly ConversationEndResult[] }) {
  const { t } = useTranslation('operations');
  const done = results.filter(({ problem }) => problem === null).length;
  return (
    <>
      <p role="status">{t('end.done', { done, count: results.length })}</p>
      <Results
        label={t('results')}
        results={results}
        words={({ state }) => (state === null ? t('end.isGone') : t('end.isIn', { state: conversationStates[state] }))}
      />
    </>
  );
}

type ConfirmProps = { verb: string; isBusy: boolean; children: ReactNode; onConfirm: () => void; onCancel: () => void };

function Confirm({ verb, isBusy, children, onConfirm, onCancel }: ConfirmProps) {
  const { t } = useTranslation('common');
  return (
    <>
      {children}
      <Group mt="md" justify="flex-end">
        <Button variant="default" onClick={onCancel}>
          {t('cancel')}
        </Button>
        <Button loading={isBusy} onClick={onConfirm}>
          {verb}
        </Button>
      </Group>
    </>
  );
}
