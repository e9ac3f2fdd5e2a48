import { useState } from 'react';

import { GuardedButton } from '@/components/ui/guarded-button';
import type { Database, Estate } from '@/contracts/api';
import { useMissingRight } from '@/hooks/use-rights';
import { tellDone } from '@/lib/notices';
import { everyRoute } from '@/topology/lookup';
import type { DatabasePath } from '@/topology/selection';
import { counted, shortId } from '@/topology/words';

import { renewBroker } from '../../api/broker-renew';
import { errorConversations } from '../../api/conversations-error';
import classes from './care.module.css';
import { ConfirmChange } from './confirm-change';
import { useLiveDatabase } from './use-live-database';

type Props = { estate: Estate; path: DatabasePath; database: Database };

/** NEW_BROKER and ERROR_BROKER_CONVERSATIONS, each with its consequences before it is done. */
export function IdentityActions({ estate, path, database }: Props) {
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
        New broker id…
      </GuardedButton>
      <GuardedButton
        barred={missing ?? whyNoErrors(database)}
        size="compact-sm"
        variant="default"
        onClick={() => {
          setAsked('error');
        }}
      >
        End conversations with an error…
      </GuardedButton>
      {asked === 'renew' && <Renewal estate={estate} path={path} database={database} onClose={close} />}
      {asked === 'error' && <Erroring estate={estate} path={path} onClose={close} />}
    </div>
  );
}

function whyNoNewBroker({ state, partner_address: partner, name }: Database): string | null {
  if (partner !== null || state === 'mirror') {
    return `${name} is mirrored: both partners share its broker id (9778).`;
  }
  return state === 'read_only' ? `${name} is read-only (9775).` : null;
}

function whyNoErrors({ state, name }: Database): string | null {
  switch (state) {
    case 'mirror':
      return `${name} is a mirror copy (954).`;
    case 'read_only':
      return `${name} is read-only (3906).`;
    case 'offline':
      return `${name} is off-line (942).`;
    case 'online':
    case 'single_user':
      return null;
  }
}

function useConversations(path: DatabasePath): string {
  const total = useLiveDatabase(path)?.conversation_endpoints_total;
  return total === undefined ? 'Every conversation' : `All ${counted(total, 'conversation')}`;
}

function Renewal({ estate, path, database, onClose }: Props & { onClose: () => void }) {
  const old = database.broker_instance.toLowerCase();
  const routes = everyRoute(estate).filter(({ value }) => value.broker_instance?.toLowerCase() === old);
  const named = routes.map(({ instance, database: holder, value }) => `${value.name} of ${instance} · ${holder}`).join(', ');
  const conversations = useConversations(path);
  return (
    <ConfirmChange
      estate={estate.name}
      name={path.database}
      title={`Give ${path.database} a new broker id`}
      verb="Make a new broker id"
      busy={`${path.instance} is ending the conversations of ${path.database}…`}
      consequences={[
        `The broker id ${shortId(database.broker_instance)} is gone for good; ${path.database} gets another one and its broker is on.`,
        `${conversations} of ${path.database} end now, each with an error in its own queue.`,
        'No peer is told. Their sides find nobody under the old id; they end with their lifetime, or by END CONVERSATION WITH CLEANUP.',
        routes.length === 0
          ? 'No route of this estate names the old id.'
          : `${counted(routes.length, 'route')} of this estate ${routes.length === 1 ? 'names' : 'name'} the old id and will lead nowhere: ${named}.`,
      ]}
      run={() => renewBroker(estate.name, path)}
      onDone={() => {
        tellDone(`${path.database} of ${path.instance} has a new broker id.`);
        onClose();
      }}
      onCancel={onClose}
    />
  );
}

function Erroring({ estate, path, onClose }: Omit<Props, 'database'> & { onClose: () => void }) {
  const conversations = useConversations(path);
  return (
    <ConfirmChange
      estate={estate.name}
      name={path.database}
      title={`End the conversations of ${path.database} with an error`}
      verb="End them all"
      busy={`${path.instance} is ending the conversations of ${path.database}…`}
      consequences={[
        `${conversations} of ${path.database} end now with error -9719 in their own queue; messages that wait to be transmitted are given up.`,
        'Their peers are told: they end with error -9720 as soon as they can be reached.',
        `${path.database} keeps its broker id, its broker is on afterwards, and new dialogs can begin at once.`,
        'This is for a database that was restored to an earlier point than its peers: sequence numbers of both sides no longer fit.',
      ]}
      run={() => errorConversations(estate.name, path)}
      onDone={() => {
        tellDone(`The conversations of ${path.database} on ${path.instance} have ended with an error.`);
        onClose();
      }}
      onCancel={onClose}
    />
  );
}
