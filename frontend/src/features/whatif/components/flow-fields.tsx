import {
  ActionIcon,
  Checkbox,
  Select,
  Tooltip,
  type ComboboxItem,
  type ComboboxItemGroup,
  type OptionsFilter,
} from '@mantine/core';
import { IconArrowsLeftRight } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';

import { Term } from '@/components/glossary/term';
import { SuggestInput } from '@/components/ui/suggest-input';
import type { Estate } from '@/contracts/api';
import { useTyped } from '@/hooks/use-view-state';
import { everyService } from '@/topology/lookup';
import {
  brokerSuggestions,
  contractSuggestions,
  messageTypeSuggestions,
  serviceSuggestions,
} from '@/topology/suggestions';
import { formatSender, parseSender } from '@/topology/what-if-address';
import { matches } from '@/topology/words';

import { isBrokerId, useAsk, type Asked } from '../use-question';
import classes from './what-if-panel.module.css';

/** Services that are offered at once; whoever looks for another one types. */
const listed = 200;

/** Characters of the name of a service. */
const nameMax = 256;

type Props = { estate: Estate; asked: Asked };

/** Who sends to whom. Whatever is changed is asked at once. */
export function FlowFields({ estate, asked }: Props) {
  const { t } = useTranslation('trace');
  const brokers = useMemo(() => brokerSuggestions(estate, asked.to), [estate, asked.to]);
  const id = useTypedField('id', asked.id);
  return (
    <>
      <FromSelect estate={estate} asked={asked} />
      <SwapButton estate={estate} asked={asked} />
      <ToInput estate={estate} asked={asked} />
      <SuggestInput
        size="xs"
        className={classes.narrow}
        label={<Term name="brokerInstance">{t('ask.id')}</Term>}
        placeholder={t('ask.idAny')}
        suggestions={brokers}
        value={id.text}
        error={!isBrokerId(id.text.trim())}
        onChange={id.type}
      />
    </>
  );
}

/** What is said: the contract of BEGIN DIALOG and the message type of SEND; without them those by which most arrives. */
export function SpeechFields({ estate, asked: { sender, contract, type, encryption } }: Props) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  const contracts = useMemo(
    () => (sender === null ? [] : contractSuggestions(estate, sender.instance, sender.database).map(bare)),
    [estate, sender],
  );
  const types = useMemo(
    () => (sender === null || contract === '' ? [] : messageTypeSuggestions(estate, sender, contract, true).map(bare)),
    [estate, sender, contract],
  );
  const typedContract = useTypedField('contract', contract);
  const typedType = useTypedField('type', type);
  return (
    <>
      <SuggestInput
        size="xs"
        className={classes.state}
        label={<Term name="contract">{t('ask.contract')}</Term>}
        placeholder={t('ask.contractAny')}
        suggestions={contracts}
        value={typedContract.text}
        onChange={typedContract.type}
      />
      <SuggestInput
        size="xs"
        className={classes.state}
        label={<Term name="messageType">{t('ask.type')}</Term>}
        placeholder={t('ask.contractAny')}
        suggestions={types}
        value={typedType.text}
        onChange={typedType.type}
      />
      <Checkbox
        size="xs"
        className={classes.encryption ?? ''}
        label={t('ask.encryption')}
        checked={encryption}
        onChange={({ currentTarget }) => {
          ask({ encryption: currentTarget.checked ? 'on' : null });
        }}
      />
    </>
  );
}

const bare = (value: string) => ({ value, note: '' });

/** The service that is written to: any name, also of one that is nowhere. */
export function ToInput({ estate, asked, placeholder }: Props & { placeholder?: string }) {
  const { t } = useTranslation('trace');
  const services = useMemo(() => serviceSuggestions(estate), [estate]);
  const to = useTypedField('to', asked.to);
  return (
    <SuggestInput
      size="xs"
      className={classes.wide}
      label={t('ask.to')}
      placeholder={placeholder ?? t('ask.toChoose')}
      suggestions={services}
      maxLength={nameMax}
      value={to.text}
      onChange={to.type}
    />
  );
}

/** A field of the question, asked when the typing pauses. */
function useTypedField(name: 'to' | 'id' | 'contract' | 'type', kept: string) {
  const ask = useAsk();
  const [text, type] = useTyped(kept, (typed) => {
    ask({ [name]: typed }, 'run');
  });
  return { text, type };
}

/** A service of the estate; each stands under its database. */
function FromSelect({ estate, asked: { sender } }: Props) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  const groups = useMemo(() => servicesByDatabase(estate), [estate]);
  return (
    <Select
      size="xs"
      className={classes.wide ?? ''}
      label={
        <>
          {t('ask.from')}
          {sender !== null && <span className={classes.where}>{`${sender.instance} · ${sender.database}`}</span>}
        </>
      }
      placeholder={t('ask.fromChoose')}
      nothingFoundMessage={t('ask.fromNone')}
      searchable
      clearable
      data={groups}
      filter={bySenderOrPlace}
      limit={listed}
      onClick={({ currentTarget: input }) => {
        // What is typed takes the place of the sender that was chosen; what is typed already can be mended.
        if (input.value === sender?.service) {
          input.select();
        }
      }}
      value={sender === null ? null : formatSender({ ...sender, to_service: '' })}
      onChange={(from) => {
        ask({ from });
      }}
      classNames={{ input: classes.mono ?? '' }}
      maxDropdownHeight={360}
    />
  );
}

/** Services that are called so, and all of an instance or a database that is. */
const bySenderOrPlace: OptionsFilter = ({ options, search, limit }) => {
  let room = limit;
  return (options as ComboboxItemGroup<ComboboxItem>[]).flatMap((group) => {
    const items = group.items.filter(({ value }) => isSought(search, value)).slice(0, room);
    room -= items.length;
    return items.length === 0 ? [] : [{ ...group, items }];
  });
};

function isSought(search: string, value: string): boolean {
  const sender = parseSender(value);
  return sender !== null && matches(search, [sender.service, `${sender.instance} · ${sender.database}`]);
}

function servicesByDatabase(estate: Estate) {
  const groups = new Map<string, { value: string; label: string }[]>();
  for (const { instance, database, value } of everyService(estate)) {
    const group = `${instance} · ${database}`;
    const from = formatSender({ instance, database, service: value.name, to_service: '' });
    const items = groups.get(group) ?? [];
    items.push({ value: from, label: value.name });
    groups.set(group, items);
  }
  return [...groups].map(([group, items]) => ({ group, items }));
}

/** The other way round, where the service that is asked for has a place in the estate. */
function SwapButton({ estate, asked: { sender, to } }: Props) {
  const { t } = useTranslation('trace');
  const ask = useAsk();
  const place = everyService(estate).find(({ value }) => value.name === to);
  const barred = place === undefined || sender === null ? t('ask.swapBarred') : null;
  return (
    <Tooltip label={barred ?? t('ask.swap')}>
      <ActionIcon
        size={30}
        className={classes.swap ?? ''}
        aria-label={t('ask.swap')}
        aria-disabled={barred !== null}
        aria-description={barred ?? undefined}
        {...(barred === null ? {} : { 'data-disabled': true })}
        onClick={() => {
          if (place !== undefined && sender !== null) {
            const { instance, database, value } = place;
            ask({
              from: formatSender({ instance, database, service: value.name, to_service: '' }),
              to: sender.service,
              id: null,
              contract: null,
              type: null,
            });
          }
        }}
      >
        <IconArrowsLeftRight size={17} />
      </ActionIcon>
    </Tooltip>
  );
}
