// Where a trouble is looked at, and mended: addresses of pages with the filter that shows it.
import type { RungName, Trouble } from '@/live/ladder/rungs';
import { formatSelection } from '@/topology/selection';

type Parameters = Readonly<Record<string, string | null>>;

export function estatePath(estate: string, page: string, parameters: Parameters = {}): string {
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null);
  const query = new URLSearchParams(given).toString();
  return `/estates/${encodeURIComponent(estate)}/${page}${query === '' ? '' : `?${query}`}`;
}

type View = (trouble: Trouble) => readonly [page: string, parameters: Parameters];

const place = ({ instance, database }: Trouble): Parameters => ({ instance, database });

/** A database has no live view of its own: it is switched on, and said to be out of reach, on the map. */
const onMap: View = ({ instance, database }) => [
  'topology',
  {
    select: formatSelection(
      database === null ? { kind: 'instance', instance } : { kind: 'database', instance, database },
    ),
  },
];
const connections: View = ({ instance }) => ['live/connections', { instance, instances: 'shown' }];
/** The trace, narrowed to a class or subclass under the vendor's name. */
const trace =
  (text: string): View =>
  ({ instance }) => ['live/trace', { instance, text }];
const queue: View = (trouble) => ['live/queues', { ...place(trouble), text: trouble.object }];

const views: Readonly<Record<Trouble['kind'], View>> = {
  'broker-off': onMap,
  'database-out': onMap,
  'no-endpoint': onMap,
  'endpoint-off': connections,
  deaf: connections,
  address: ({ instance, object }) => ['live/connections', { instance, text: object }],
  login: ({ instance }) => ['live/connections', { instance }],
  searching: ({ instance, object }) => ['live/mirrors', { instance, text: object }],
  'both-principal': ({ instance, object }) => ['live/mirrors', { instance, text: object }],
  blocked: (trouble) => ['live/transmission-queues', place(trouble)],
  unacknowledged: (trouble) => ['live/transmission-queues', place(trouble)],
  dropped: trace('Broker:Message Undeliverable'),
  corrupted: trace('Broker:Corrupted Message'),
  'forwards-dropped': trace('Broker:Forwarded Message Dropped'),
  error: (trouble) => ['live/conversations', { ...place(trouble), state: 'ER' }],
  overdue: (trouble) => ['live/conversations', { ...place(trouble), closed: 'overdue' }],
  leaked: (trouble) => ['live/conversations', { ...place(trouble), closed: 'leaked' }],
  poisoned: queue,
  disabled: queue,
  busy: queue,
  'activation-error': trace('Aborted'),
  rollback: ({ instance }) => ['live/counters', { instance, text: 'rollback' }],
};

export function troublePath(estate: string, trouble: Trouble): string {
  return estatePath(estate, ...views[trouble.kind](trouble));
}

/** The view that shows all of a rung, whoever has it. */
const wholes: Readonly<Record<RungName, string>> = {
  broker: 'topology',
  databases: 'topology',
  endpoint: 'live/connections',
  addresses: 'live/connections',
  logins: 'live/connections',
  mirrors: 'live/mirrors',
  transmission: 'live/transmission-queues',
  dropped: 'live/trace',
  errors: 'live/conversations',
  closed: 'live/conversations',
  queues: 'live/queues',
  readers: 'live/queues',
  activation: 'live/queues',
};

export function rungPath(estate: string, rung: RungName): string {
  return estatePath(estate, wholes[rung]);
}
