// One verdict for an instance and one for a database, with the sentence that explains it.
import type { DatabaseView } from '@/contracts/live-messages';

import type { LiveInstance } from './reducer';

export type Health = { verdict: 'delivered' | 'delayed' | 'lost' | 'error' | 'unknown'; text: string };

export function instanceHealth(name: string, live: LiveInstance | undefined): Health {
  if (live === undefined || (live.view === null && live.unavailable === null)) {
    return { verdict: 'unknown', text: `Nothing is known of ${name} yet` };
  }
  if (live.unavailable !== null) {
    return { verdict: 'unknown', text: `${name} does not answer: ${live.unavailable}` };
  }
  const view = live.view;
  if (view === null) {
    return { verdict: 'unknown', text: `Nothing is known of ${name} yet` };
  }
  if (view.listening_error !== '') {
    return { verdict: 'error', text: `${name} cannot listen: ${view.listening_error}` };
  }
  if (view.endpoint_state !== 'STARTED') {
    const state = view.endpoint_state === null ? 'has no endpoint' : `has its endpoint ${view.endpoint_state.toLowerCase()}`;
    return { verdict: 'lost', text: `${name} ${state}` };
  }
  const held = view.databases.filter((database) => heldNumber(database) !== null);
  if (held.length > 0) {
    return { verdict: 'delayed', text: `${name} is listening; messages are held up in ${held.map((one) => one.name).join(', ')}` };
  }
  return { verdict: 'delivered', text: `${name} is listening` };
}

/** The status number that holds messages back in a database, null when none does. */
export function heldNumber(database: DatabaseView): number | null {
  const held = database.transmission_queue.find((row) => row.transmission_status_number !== null);
  return held?.transmission_status_number ?? null;
}
