import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';

import { Fact, Facts, Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useInstancesNow } from '@/hooks/use-now';
import { connectionKind, isIdle } from '@/live/grid/connections';
import type { GridRow, Read } from '@/live/grid/rows';

import { Value } from '../../frame/value';
import { textOf } from '../common';
import classes from '../details.module.css';
import { Bytes, Failure, Other, Rate, State, useMeaning } from './looks';

type Props = { row: GridRow; read: Read };

/** What a connection is like, who is at the other side, how it is secured, and what goes over it. */
export function ConnectionDetails({ row, read }: Props) {
  const { t } = useTranslation('views');
  const now = useInstancesNow() / 1000;
  const kind = connectionKind(row, read);
  const state = Number(read(row, 'login_state'));
  const meaning = useMeaning(row, read);
  return (
    <>
      <Section title={t('connections.how')} term="endpoint">
        <p className={classes.text}>
          <State row={row} read={read} /> {meaning}
        </p>
        {kind === 'failing' && (
          <p className={classes.text}>
            <Failure row={row} read={read} />
          </p>
        )}
        {isIdle(row, read, now) && <p className={classes.note}>{t('connections.idle')}</p>}
        <Facts>
          <Fact label={t('connections.other')}>
            <Other row={row} read={read} />
          </Fact>
          <Fact label={t('connections.openedBy')}>
            {t(read(row, 'is_accept') === true ? 'connections.byPeer' : 'connections.byUs')}
          </Fact>
          <Fact label="last_activity_time">
            <Value value={read(row, 'last_activity_time')} shape="age" type="datetime" />
          </Fact>
          {kind === 'failing' && (
            <Fact label={t('connections.leftAlone')}>
              <Value value={read(row, 'left_alone_until')} shape="until" type="datetime" />
            </Fact>
          )}
        </Facts>
      </Section>
      <Section title={t('conversations.security')}>
        <Facts>
          <Fact label="login_state">{`${state} · ${textOf(row, read, 'login_state_desc')}`}</Fact>
          <Fact label={t('connections.authentication')}>
            {textOf(row, read, 'authentication_method') || t('cell.null')}
          </Fact>
          <Fact label={t('connections.encryption')}>
            {textOf(row, read, 'encryption_algorithm_desc') || t('cell.null')}
          </Fact>
          <Fact label="principal_name">{textOf(row, read, 'principal_name') || t('cell.null')}</Fact>
        </Facts>
        {state !== 12 && kind === 'login' && <p className={classes.note}>{t('connections.stuckLogin')}</p>}
      </Section>
      <Traffic row={row} read={read} />
      <Links row={row} read={read} />
    </>
  );
}

function Traffic({ row, read }: Props) {
  const { t } = useTranslation('views');
  return (
    <Section title={t('connections.traffic')}>
      <Facts>
        <Fact label={t('connections.sentRate')}>
          <Rate value={read(row, 'bytes_sent_per_second')} />
        </Fact>
        <Fact label={t('connections.receivedRate')}>
          <Rate value={read(row, 'bytes_received_per_second')} />
        </Fact>
        <Fact label={t('connections.sent')}>
          <Bytes value={read(row, 'total_bytes_sent')} />
        </Fact>
        <Fact label={t('connections.received')}>
          <Bytes value={read(row, 'total_bytes_received')} />
        </Fact>
      </Facts>
    </Section>
  );
}

function Links({ row, read }: Props) {
  const { t } = useTranslation('views');
  const base = `/estates/${encodeURIComponent(useEstatePage().name)}/live`;
  const query = (values: Record<string, string>) => new URLSearchParams(values).toString();
  const [peer, address] = [textOf(row, read, 'peer_instance'), textOf(row, read, 'address')];
  return (
    <Section title={t('conversations.seeAlso')}>
      <ul className={classes.links}>
        <li>
          <Link to={`${base}/transmission-queues?${query({ instance: row.instance })}`}>
            {t('links.waitingAt', { name: row.instance })}
          </Link>
        </li>
        {address !== '' && (
          <li>
            <Link to={`${base}/trace?${query({ instance: row.instance, text: address })}`}>
              {t('links.traceOfAddress')}
            </Link>
          </li>
        )}
        {peer !== '' && (
          <li>
            <Link to={`${base}/connections?${query({ instance: peer, text: row.instance })}`}>
              {t('links.otherEnd', { name: peer })}
            </Link>
          </li>
        )}
      </ul>
    </Section>
  );
}
