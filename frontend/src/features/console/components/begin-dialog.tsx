import { Autocomplete, Checkbox, Select } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Term } from '@/components/glossary/term';
import { GuardedButton } from '@/components/ui/guarded-button';
import { ProblemPanel } from '@/components/ui/problem-panel';
import { SuggestInput } from '@/components/ui/suggest-input';
import type { Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { useSetParameters, useParameter } from '@/hooks/use-view-state';
import { asProblem } from '@/lib/errors';
import { everyService } from '@/topology/lookup';
import { brokerSuggestions, contractSuggestions, serviceSuggestions } from '@/topology/suggestions';

import { beginConversation } from '../api/conversation-begin';
import { remember, type OwnConversation } from '../conversations-store';
import classes from './console-panel.module.css';

type Props = { estate: Estate; onBegun: (conversation: OwnConversation) => void };

/** BEGIN DIALOG from a service of this estate to any service at all. */
export function BeginDialog({ estate, onBegun }: Props) {
  const { t } = useTranslation('console');
  const missing = useMissingRight('operate');
  const from = useFromService(estate);
  const [toService, setToService] = useState('');
  const [contract, setContract] = useState<string | null>(null);
  const [brokerInstance, setBrokerInstance] = useState('');
  const [isSecured, setIsSecured] = useState(false);
  const contracts =
    from.chosen === null ? ['DEFAULT'] : contractSuggestions(estate, from.chosen.instance, from.chosen.database);
  // The database's own contract is what one means more often than DEFAULT.
  const agreed = contract ?? contracts[1] ?? 'DEFAULT';

  const begin = useMutation({
    mutationFn: async () => {
      if (from.chosen === null) {
        throw new Error(t('begin.chooseFrom'));
      }
      const { instance, database, service } = from.chosen;
      const { conversation_handle: handle } = await beginConversation(estate.name, from.chosen, {
        from_service: service,
        to_service: toService,
        to_broker_instance: brokerInstance === '' ? null : brokerInstance,
        contract: agreed === 'DEFAULT' ? null : agreed,
        encryption: isSecured,
      });
      return { instance, database, handle, fromService: service, toService, contract: agreed };
    },
    onSuccess: (conversation) => {
      remember(estate.name, conversation);
      onBegun(conversation);
    },
  });
  const barred =
    missing ?? (from.chosen === null ? t('begin.chooseFrom') : toService === '' ? t('begin.nameTo') : null);

  return (
    <form
      className={classes.stack}
      onSubmit={(event) => {
        event.preventDefault();
        if (barred === null) {
          begin.mutate();
        }
      }}
    >
      <Select
        label={t('begin.from')}
        description={t('begin.fromHint')}
        searchable
        nothingFoundMessage={t('begin.fromNone')}
        placeholder={t('begin.fromChoose')}
        data={from.groups}
        value={from.value}
        onChange={from.choose}
        classNames={{ input: classes.mono ?? '' }}
        maxDropdownHeight={320}
      />
      <SuggestInput
        label={t('begin.to')}
        description={t('begin.toHint')}
        suggestions={serviceSuggestions(estate)}
        value={toService}
        onChange={setToService}
      />
      <Autocomplete
        label={<Term name="contract">{t('begin.contract')}</Term>}
        data={contracts}
        value={agreed}
        onChange={setContract}
        spellCheck={false}
        classNames={{ input: classes.mono ?? '' }}
      />
      <SuggestInput
        label={<Term name="brokerInstance">{t('begin.broker')}</Term>}
        description={t('begin.brokerHint')}
        placeholder={t('begin.any')}
        suggestions={brokerSuggestions(estate, toService)}
        value={brokerInstance}
        onChange={setBrokerInstance}
      />
      <Checkbox
        label={t('begin.encryption')}
        description={t('begin.encryptionHint')}
        checked={isSecured}
        onChange={(event) => {
          setIsSecured(event.currentTarget.checked);
        }}
      />
      {begin.isError && <ProblemPanel problem={asProblem(begin.error)} />}
      <GuardedButton barred={barred} type="submit" size="sm" loading={begin.isPending}>
        {t('begin.submit')}
      </GuardedButton>
    </form>
  );
}

type FromService = { instance: string; database: string; service: string };

const separator = '\u0000';

/** The beginning service lives in the address bar; `at` alone (a database) takes its first service. */
function useFromService(estate: Estate) {
  const [at] = useParameter('at');
  const [from] = useParameter('from');
  const setParameters = useSetParameters();
  const services = everyService(estate);
  const place = at?.split('/').map(decodeURIComponent);
  const chosen =
    place === undefined
      ? null
      : (services.find(
          ({ instance, database, value }) =>
            instance === place[0] && database === place[1] && (from === null || value.name === from),
        ) ?? null);

  const groups = new Map<string, { value: string; label: string }[]>();
  for (const { instance, database, value } of services) {
    const group = `${instance} · ${database}`;
    const item = { value: [instance, database, value.name].join(separator), label: value.name };
    groups.set(group, [...(groups.get(group) ?? []), item]);
  }
  const named: FromService | null =
    chosen === null ? null : { instance: chosen.instance, database: chosen.database, service: chosen.value.name };
  return {
    chosen: named,
    value: named === null ? null : [named.instance, named.database, named.service].join(separator),
    groups: [...groups].map(([group, items]) => ({ group, items })),
    choose: (value: string | null) => {
      const [instance = '', database = '', service = null] = value?.split(separator) ?? [];
      setParameters({
        at: value === null ? null : `${encodeURIComponent(instance)}/${encodeURIComponent(database)}`,
        from: service,
      });
    },
  };
}
