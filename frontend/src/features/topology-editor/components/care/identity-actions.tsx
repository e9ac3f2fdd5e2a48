import { useState } from 'react';
import { useTranslation } from 'react-i18next';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Database, Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { i18n } from '@/i18n';
import { tellDone } from '@/lib/notices';
import { everyRoute } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { shortId } from '@/topology/words';

import { renewBroker } from '../../api/broker-renew';
import { errorConversations } from '../../api/conversations-error';
import classes from './care.module.css';
import { ConfirmChange } from '@/components/confirm/confirm-change';
import { useLiveDatabase } from '@/hooks/use-live-database';

type Props = { estate: Estate; path: DatabasePath; database: Database };

/** NEW_BROKER and ERROR_BROKER_CONVERSATIONS, each with its consequences before it is done. */
export function IdentityActions({ estate, path, database }: Props) {
  const { t } = useTranslation('care');
  const missing = useMissingRight('edit');
  const [asked, setAsked] = useState<'renew' | 'error' | null>(null);
  const close = () => {
    setAsked(null);
  };
  return (
    <div className={classes.row}>
      <GuardedButton
        barred={missing ?? whyNoNewBroker(database)}
        size="compact-sm"
        variant="default"
        onClick={() => {
          setAsked('renew');
        }}
      >
        {t('renew.open')}
      </GuardedButton>
      <GuardedButton
        barred={missing ?? whyNoErrors(database)}
        size="compact-sm"
        variant="default"
        onClick={() => {
          setAsked('error');
        }}
      >
        {t('error.open')}
      </GuardedButton>
      {asked === 'renew' && <Renewal estate={estate} path={path} database={database} onClose={close} />}
      {asked === 'error' && <Erroring estate={estate} path={path} onClose={close} />}
    </div>
  );
}

function whyNoNewBroker({ state, partner_address: partner, name }: Database): string | null {
  if (partner !== null || state === 'mirror') {
    return i18n.t('care:renew.mirrored', { name });
  }
  return state === 'read_only' ? i18n.t('care:renew.readOnly', { name }) : null;
}

function whyNoErrors({ state, name }: Database): string | null {
  switch (state) {
    case 'mirror':
    case 'read_only':
    case 'offline':
      return i18n.t(`care:error.${state}`, { name });
    case 'online':
    case 'single_user':
      return null;
  }
}

/** How many end; their number may be unknown. */
function useConversations(path: DatabasePath) {
  const total = useLiveDatabase(path)?.conversation_endpoints_total;
  return total === undefined ? { known: 'no', count: 2 } : { known: 'yes', count: total };
}

function Renewal({ estate, path, database, onClose }: Props & { onClose: () => void }) {
  const { t } = useTranslation('care');
  const old = database.broker_instance.toLowerCase();
  const routes = everyRoute(estate).filter(({ value }) => value.broker_instance?.toLowerCase() === old);
  const named = routes
    .map(({ instance, database: holder, value }) =>
      t('renew.routeOf', { route: value.name, instance, database: holder }),
    )
    .join(', ');
  const conversations = useConversations(path);
  return (
    <ConfirmChange
      estate={estate.name}
      name={path.database}
      title={t('renew.title', path)}
      verb={t('renew.verb')}
      busy={t('endingBusy', path)}
      consequences={[
        t('renew.gone', { id: shortId(database.broker_instance), database: path.database }),
        t('renew.end', { ...conversations, database: path.database }),
        t('renew.untold'),
        routes.length === 0 ? t('renew.noRoute') : t('renew.routes', { count: routes.length, named }),
      ]}
      run={() => renewBroker(estate.name, path, estate.revision)}
      onDone={() => {
        tellDone(t('renew.done', path));
        onClose();
      }}
      onCancel={onClose}
    />
  );
}

function Erroring({ estate, path, onClose }: Omit<Props, 'database'> & { onClose: () => void }) {
  const { t } = useTranslation('care');
  const conversations = useConversations(path);
  return (
    <ConfirmChange
      estate={estate.name}
      name={path.database}
      title={t('error.title', path)}
      verb={t('error.verb')}
      busy={t('endingBusy', path)}
      consequences={[
        t('error.end', { ...conversations, database: path.database }),
        t('error.told'),
        t('error.keeps', path),
        t('error.purpose'),
      ]}
      run={() => errorConversations(estate.name, path)}
      onDone={() => {
        tellDone(t('error.done', path));
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
