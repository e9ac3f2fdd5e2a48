// One verdict for an instance and one for a database, with the sentence that explains it.
import type { DatabaseView } from './instance-view';
import { i18n } from '@/i18n';

import type { LiveInstance } from './compose';

export type Health = { verdict: 'delivered' | 'delayed' | 'lost' | 'error' | 'unknown'; text: string };

export function instanceHealth(name: string, live: LiveInstance | undefined): Health {
  if (live === undefined || (live.view === null && live.unavailable === null)) {
    return { verdict: 'unknown', text: i18n.t('live:health.unknown', { name }) };
  }
  if (live.unavailable !== null) {
    return { verdict: 'unknown', text: i18n.t('live:health.silent', { name, reason: live.unavailable }) };
  }
  if (!live.isCurrent) {
    return { verdict: 'unknown', text: i18n.t('live:health.offline', { name }) };
  }
  const view = live.view;
  if (view === null) {
    return { verdict: 'unknown', text: i18n.t('live:health.unknown', { name }) };
  }
  if (view.listening_error !== '') {
    return { verdict: 'error', text: i18n.t('live:health.deaf', { name, reason: view.listening_error }) };
  }
  if (view.endpoint_state !== 'STARTED') {
    const state = view.endpoint_state;
    return {
      verdict: 'lost',
      text: state === null ? i18n.t('live:health.noEndpoint', { name }) : i18n.t('live:health.closed', { name, state }),
    };
  }
  const held = view.databases.filter(isHeld);
  if (held.length > 0) {
    return {
      verdict: 'delayed',
      text: i18n.t('live:health.held', { name, databases: held.map((one) => one.name).join(', ') }),
    };
  }
  return { verdict: 'delivered', text: i18n.t('live:health.listening', { name }) };
}

/** Whether messages of a database wait for a reason that has a number. */
export function isHeld(database: DatabaseView): boolean {
  return database.blocked > 0;
}
