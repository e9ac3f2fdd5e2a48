import { hashKey, type Query, type QueryClient } from '@tanstack/react-query';

import type { Draft, Estate } from '@/contracts/api';
import type { EstateFacts } from '@/contracts/live-messages';

import { topologyQuery } from './api/topology-read';
import { keys } from './query-client';

/** Asks again for everything that a decision about an estate may have changed. */
export async function refreshEstate(queries: QueryClient, estate: string): Promise<void> {
  await Promise.all(
    [keys.topology(estate), keys.changeSets(estate), keys.decisions(estate)].map((queryKey) =>
      queries.invalidateQueries({ queryKey }),
    ),
  );
}

/**
 * Asks again for everything that an edit of a draft may have changed, and for the draft itself where it is new and not
 * on view yet. `edited` is the state that it was made from. What is live is as it was: it costs seconds to read, and is
 * not read.
 */
export async function refreshDraft(queries: QueryClient, estate: string, edited: Draft): Promise<void> {
  const wholes = [keys.draft(estate, null), keys.draft(estate, edited.number)].map((key) => hashKey(key));
  await Promise.all([
    queries.invalidateQueries({
      queryKey: keys.topology(estate),
      predicate: ({ queryHash }) => !wholes.includes(queryHash),
    }),
    queries.invalidateQueries({ queryKey: keys.changeSets(estate) }),
    queries.invalidateQueries({ queryKey: keys.decisions(estate) }),
    // What goes wrong with it is told by the page that shows it.
    readAfter(queries, estate, edited).catch(() => undefined),
  ]);
}

/** Reads a draft as it is after an edit, unless what the live connection has told of that has set it off already. */
async function readAfter(queries: QueryClient, estate: string, edited: Draft): Promise<void> {
  const query = topologyQuery(estate, edited.number);
  const known = queries.getQueryCache().find({ queryKey: query.queryKey });
  if (known === undefined) {
    // Once: whoever has made the edit waits for it.
    await queries.query({ ...query, retry: false });
    return;
  }
  if (known.state.fetchStatus === 'fetching') {
    await known.promise?.catch(() => undefined);
  }
  const held = queries.getQueryData(query.queryKey)?.change_set?.sequence ?? -1;
  if (held <= edited.sequence) {
    await queries.invalidateQueries({ queryKey: query.queryKey, exact: true });
  }
}

/**
 * Follows what the live connection tells of an estate. The estate is read again only where the page has it in another
 * state; its drafts and decisions when anything has moved since the connection spoke first: before, the page has just
 * read them.
 */
export function followEstate(queries: QueryClient, estate: string): (message: EstateFacts) => void {
  let latest: EstateFacts | null = null;
  return (message) => {
    const hasMoved = latest !== null && news(latest) !== news(message);
    latest = message;
    if (hasMoved) {
      for (const queryKey of [keys.changeSets(estate), keys.decisions(estate)]) {
        void queries.invalidateQueries({ queryKey });
      }
    }
    const queryKey = keys.topology(estate);
    const onTheirWay = queries.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' });
    // What is on its way may be what is told of.
    void Promise.allSettled(onTheirWay.map(async ({ promise }) => promise)).then(() => {
      if (latest === message) {
        void queries.invalidateQueries({ queryKey, predicate: (query) => isOutdated(query, message) });
      }
    });
  };
}

/** All of it but the progress of instances, which is told whole. */
function news({ state, change_sets: drafts }: EstateFacts): string {
  return JSON.stringify([state, drafts]);
}

function isOutdated({ state: { data, status } }: Query, told: EstateFacts): boolean {
  if (data === undefined) {
    return status === 'error';
  }
  const { state, change_set: draft } = data as Estate;
  if (state !== told.state || draft === null) {
    return state !== told.state;
  }
  // One that is not told of is closed. What is told may be older than what the page has read after an edit of its own.
  const now = told.change_sets.find(({ number }) => number === draft.number);
  return now === undefined || now.sequence > draft.sequence;
}
