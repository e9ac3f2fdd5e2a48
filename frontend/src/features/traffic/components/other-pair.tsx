import { Autocomplete, Button, Select, TextInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { Term } from '@/components/glossary/term';
import type { Estate, TrafficPair } from '@/contracts/api';
import { everyService } from '@/topology/lookup';
import { contractSuggestions } from '@/topology/suggestions';

import classes from './traffic.module.css';

/** A pair that is not on offer: one that routing does not deliver can be tried as well, and is then seen to wait. */
export function OtherPair({ estate, onAdd }: { estate: Estate; onAdd: (pair: TrafficPair) => void }) {
  const { t } = useTranslation('traffic');
  const services = everyService(estate);
  const [from, setFrom] = useState<string | null>(null);
  const [to, setTo] = useState<string | null>(null);
  const [contract, setContract] = useState('DEFAULT');
  const [messageType, setMessageType] = useState('DEFAULT');
  const sender = services[Number(from ?? -1)];
  return (
    <details className={classes.other}>
      <summary>{t('other.title')}</summary>
      <p>{t('other.about')}</p>
      <form
        className={classes.otherForm}
        onSubmit={(event) => {
          event.preventDefault();
          if (sender !== undefined && to !== null) {
            onAdd({
              from_instance: sender.instance,
              from_database: sender.database,
              from_service: sender.value.name,
              to_service: to,
              contract,
              message_type: messageType,
            });
          }
        }}
      >
        <Select
          label={t('other.from')}
          searchable
          data={services.map(({ instance, database, value }, index) => ({
            value: String(index),
            label: `${value.name} (${instance} · ${database})`,
          }))}
          value={from}
          onChange={setFrom}
        />
        <Select
          label={t('other.to')}
          searchable
          data={[...new Set(services.map(({ value }) => value.name))]}
          value={to}
          onChange={setTo}
        />
        <Autocomplete
          label={<Term name="contract">{t('other.contract')}</Term>}
          data={sender === undefined ? ['DEFAULT'] : contractSuggestions(estate, sender.instance, sender.database)}
          value={contract}
          onChange={setContract}
        />
        <TextInput
          label={<Term name="messageType">{t('other.messageType')}</Term>}
          value={messageType}
          onChange={(event) => {
            setMessageType(event.currentTarget.value);
          }}
        />
        <Button
          type="submit"
          variant="default"
          leftSection={<IconPlus size={16} />}
          disabled={sender === undefined || to === null}
        >
          {t('other.add')}
        </Button>
      </form>
    </details>
  );
}
