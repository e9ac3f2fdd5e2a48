import { useTranslation } from 'react-i18next';

import { Fact, Facts, Section } from '@/components/ui/section';
import { useEstatePage } from '@/hooks/use-estate-page';
import { useInstancesNow } from '@/hooks/use-now';
import { closedKind, stateOf } from '@/live/grid/conversations';
import type { GridRow, Read } from '@/live/grid/rows';
import { stateMeaning } from '@/live/states';

import { Value } from '../../frame/value';
import { textOf } from '../common';
import classes from './conversation.module.css';
import { Ends } from './ends';
import { Links } from './links';
import { Timeline } from './timeline';
import { useBothEnds } from './use-both-ends';

const noKey = '00000000-0000-0000-0000-000000000000';

/**
 * All about the conversation of a row: what its state means, both ends, what they have exchanged, security, lifetime,
 * and what happened.
 */
export function ConversationDetails({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const ends = useBothEnds(row, read);
  return (
    <>
      <Advice row={row} read={read} />
      <Section title={t('conversations.ends')}>
        <Ends ends={ends} />
      </Section>
      <Section title={t('conversations.lifetime')}>
        <Facts>
          <Fact label={t('ours.endsIn')}>
            <Value value={read(row, 'ends_at')} shape="until" type="datetime" />
          </Fact>
          <Fact label="lifetime">
            <Value value={read(row, 'lifetime')} shape="instant" type="datetime" />
          </Fact>
          <Fact label="dialog_timer">
            <Value value={read(row, 'dialog_timer')} shape="instant" type="datetime" />
          </Fact>
          <Fact label={t('conversations.guard')}>
            <Value value={read(row, 'security_timestamp')} shape="instant" type="datetime" />
          </Fact>
        </Facts>
      </Section>
      <Section title={t('conversations.security')} term="dialogSecurity">
        {textOf(row, read, 'outbound_session_key_identifier') === noKey ? (
          <p className={classes.note}>{t('conversations.noKey')}</p>
        ) : (
          <Facts>
            <Fact label={t('conversations.outboundKey')}>{textOf(row, read, 'outbound_session_key_identifier')}</Fact>
            <Fact label={t('conversations.inboundKey')}>{textOf(row, read, 'inbound_session_key_identifier')}</Fact>
          </Facts>
        )}
      </Section>
      <Section title={t('conversations.timeline')}>
        <Timeline ends={ends} />
      </Section>
      <Section title={t('conversations.seeAlso')}>
        <Links row={row} read={read} estate={useEstatePage().name} />
      </Section>
    </>
  );
}

/** What the state means, and, where something is to be done, what. */
function Advice({ row, read }: { row: GridRow; read: Read }) {
  const { t } = useTranslation('views');
  const now = useInstancesNow();
  const state = stateOf(row, read);
  const kind = closedKind(row, read, now / 1000);
  const needs = kind === 'leaked' || kind === 'overdue' || state === 'DI' || state === 'ER';
  const words = () => {
    if (kind !== null) {
      return t(`conversations.closedMeaning.${kind}`);
    }
    if (state === 'DI' || state === 'ER') {
      return t(`conversations.advice.${state}`);
    }
    return state === null ? '' : stateMeaning(state);
  };
  return (
    <p className={classes.advice} data-needs={needs}>
      {words()}
    </p>
  );
}
