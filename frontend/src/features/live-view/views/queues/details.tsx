import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Fact, Facts, Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useInstancesNow } from '@/hooks/use-now';
import { numberText } from '@/i18n';
import { monitorState, queueKind } from '@/live/grid/queues';
import { useSandbox } from '@/hooks/use-sandbox';
import type { GridRow, Read } from '@/live/grid/rows';

import { Value } from '../../frame/value';
import { textOf } from '../common';
import classes from '../details.module.css';
import { Kind, LastError, Monitor, Readers } from './looks';
import { Tasks } from './tasks';

type Props = { row: GridRow; read: Read };

/** What a queue is like and what follows from it, its monitor and readers, and the conversations of its services. */
export function QueueDetails({ row, read }: Props) {
  const { t } = useTranslation('views');
  const kind = queueKind(row, read, useInstancesNow() / 1000);
  const state = monitorState(row, read);
  return (
    <>
      <Section title={t('queues.how')} term="queue">
        <p className={classes.text}>
          <Kind row={row} read={read} />
        </p>
        <p className={classes.text}>{t(`queues.kind.${kind}.meaning`)}</p>
        {(kind === 'off' || kind === 'poisoned') && <p className={classes.note}>{t('queues.offEffect')}</p>}
        {kind === 'poisoned' && <Poison row={row} read={read} />}
      </Section>
      <Section title={t('queues.activation')} term="activation">
        <Facts>
          <Fact label="state">
            <Monitor row={row} read={read} />
          </Fact>
          <Fact label={t('ours.activeTasks')}>
            <Readers row={row} read={read} />
          </Fact>
          <Fact label="last_activated_time">
            <Value value={read(row, 'last_activated_time')} shape="instant" type="datetime" />
          </Fact>
          <Fact label={t('queues.error')}>
            <LastError row={row} read={read} />
          </Fact>
          <Fact label={t('queues.failedAt')}>
            <Value value={read(row, 'activation_failed_at')} shape="instant" type="datetime" />
          </Fact>
        </Facts>
        <p className={classes.note}>{t(`queues.monitor.${state ?? 'none'}`)}</p>
        <Tasks row={row} read={read} />
      </Section>
      <Section title={t('conversations.seeAlso')}>
        <Links row={row} read={read} />
      </Section>
    </>
  );
}

/** The message that could not be handled, time after time. */
function Poison({ row, read }: Props) {
  const { t } = useTranslation('views');
  return (
    <Facts>
      <Fact label={t('queues.rollbacks')}>{numberText(Number(read(row, 'poison_rollbacks')))}</Fact>
      <Fact label="message_type_name">{textOf(row, read, 'poison_message_type_name')}</Fact>
      <Fact label="message_sequence_number">{String(Number(read(row, 'poison_message_sequence_number')))}</Fact>
      <Fact label="conversation_handle">{textOf(row, read, 'poison_conversation_handle')}</Fact>
    </Facts>
  );
}

function Links({ row, read }: Props) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const base = `/estates/${encodeURIComponent(estate.name)}`;
  const [queue, database] = [textOf(row, read, 'queue_name'), textOf(row, read, 'database_name')];
  const own = estate.instances
    .find(({ name }) => name === row.instance)
    ?.databases.find(({ name }) => name === database);
  const sandbox = useSandbox();
  const services = own?.services.filter((service) => service.queue.toLowerCase() === queue.toLowerCase()) ?? [];
  const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const handle = textOf(row, read, 'poison_conversation_handle');
  const name = [row.instance, database, queue].map(encodeURIComponent).join('/');
  return (
    <ul className={classes.links}>
      {services.map((service) => (
        <li key={service.name}>
          <Link to={`${base}/live/conversations?${query({ instance: row.instance, database, text: service.name })}`}>
            {t('links.conversationsOf', { service: service.name })}
          </Link>
        </li>
      ))}
      {handle !== '' && (
        <li>
          <Link to={`${base}/live/conversations?${query({ text: handle })}`}>{t('links.poison')}</Link>
        </li>
      )}
      {sandbox === null && (
        <li>
          <Link to={`${base}/objects/queue?${query({ object: name })}`}>{t('links.queue')}</Link>
        </li>
      )}
    </ul>
  );
}
