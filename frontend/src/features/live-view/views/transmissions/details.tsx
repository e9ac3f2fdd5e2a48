import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Fact, Facts, Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useTopic } from '@/hooks/use-topics';
import { numberText } from '@/i18n';
import { stateOf } from '@/live/grid/conversations';
import { gridColumns, gridRows, reader, type GridRow, type Read } from '@/live/grid/rows';
import { formatSelection } from '@/topology/selection';

import { State, TransmissionStatus } from '../../components/cells';
import { textOf } from '../common';
import classes from '../details.module.css';

/** Why a message is still here, and the conversation that it belongs to. */
export function TransmissionDetails({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const number = read(row, 'transmission_status_number') as number | null;
  const queue = textOf(row, read, 'awaits_queue');
  return (
    <>
      <Section title={t('transmissions.why')}>
        <p className={classes.text}>
          <TransmissionStatus number={number} text={textOf(row, read, 'transmission_status')} />
        </p>
        <p className={classes.note}>
          {number === null
            ? t('transmissions.blankMeaning')
            : queue === ''
              ? t('transmissions.ofConversation')
              : t('transmissions.awaitsQueue', { queue })}
        </p>
      </Section>
      <Section title={t('transmissions.conversation')} term="conversation">
        <Conversation row={row} read={read} />
      </Section>
    </>
  );
}

/** The endpoint that sends: a status is one of the conversation, not of the message. */
function Conversation({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const estate = useEstatePage();
  const handle = textOf(row, read, 'conversation_handle');
  const topic = useTopic(estate.name, 'conversations', { instances: [row.instance], conversation_handle: handle });
  if (topic === undefined || topic.seq === 0) {
    return <p className={classes.note}>{t('source.waiting.word')}</p>;
  }
  const found = gridRows(topic.table)[0];
  const readEnd = reader(gridColumns(topic.table));
  const state = found === undefined ? null : stateOf(found, readEnd);
  const base = `/estates/${encodeURIComponent(estate.name)}`;
  const select = formatSelection({
    kind: 'database',
    instance: row.instance,
    database: textOf(row, read, 'database_name'),
  });
  return (
    <>
      <Facts>
        <Fact label={t('ours.state')}>{state === null ? t('conversations.notThere') : <State state={state} />}</Fact>
        {found !== undefined && (
          <Fact label={t('ours.waiting')}>{numberText(Number(readEnd(found, 'waiting_messages')))}</Fact>
        )}
      </Facts>
      <ul className={classes.links}>
        <li>
          <Link to={`${base}/live/conversations?${new URLSearchParams({ text: handle }).toString()}`}>
            {t('links.conversation')}
          </Link>
        </li>
        <li>
          <Link to={`${base}/topology?${new URLSearchParams({ select }).toString()}`}>{t('links.database')}</Link>
        </li>
      </ul>
    </>
  );
}
