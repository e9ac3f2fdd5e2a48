// The checks that a practitioner makes, in the order in which each explains those behind it: what an instance at a
// glance (`summary.ts`) says of each. What is known of whom, and what the ladder makes of it, is in `ladder.ts`.
import type { DatabaseSummary, InstanceSummary } from '../summary';

export const rungNames = [
  'broker',
  'databases',
  'endpoint',
  'addresses',
  'logins',
  'mirrors',
  'transmission',
  'dropped',
  'errors',
  'closed',
  'queues',
  'readers',
  'activation',
] as const;

export type RungName = (typeof rungNames)[number];

/** `bad`: messages do not get on now. `warning`: they may, or it is over, and somebody should look. */
export type Grade = 'warning' | 'bad';

/** What is wrong at one place; `kind` says in which words, and what to do about it. */
export type Trouble = {
  kind:
    | 'broker-off'
    | 'database-out'
    | 'no-endpoint'
    | 'endpoint-off'
    | 'deaf'
    | 'address'
    | 'login'
    | 'searching'
    | 'both-principal'
    | 'blocked'
    | 'unacknowledged'
    | 'dropped'
    | 'corrupted'
    | 'forwards-dropped'
    | 'error'
    | 'overdue'
    | 'leaked'
    | 'poisoned'
    | 'disabled'
    | 'busy'
    | 'activation-error'
    | 'rollback';
  grade: Grade;
  instance: string;
  /** Null where it is about the whole instance. */
  database: string | null;
  /** The queue, route or address; the state of an endpoint, the vendor's number of a database. Empty for none. */
  object: string;
  /** How many: databases, queues, messages, conversations, whatever the rung counts. */
  count: number;
};

type Place = Pick<Trouble, 'instance' | 'database'>;

export type Rung = {
  /** How many things were looked at: what the sentence of a rung without trouble counts. */
  looked: (summary: InstanceSummary) => number;
  troubles: (summary: InstanceSummary, around: Circumstances) => Trouble[];
};

export type Circumstances = {
  /** Seconds since 1970 by the server's clock. */
  now: number;
  /** Whether there are other instances: one that is alone needs no endpoint. */
  hasOthers: boolean;
};

/** From this age on, a message that was sent and not acknowledged asks for a look (SBD-603); seconds. */
export const unacknowledgedSeconds = 60;

/** No broker is ever on in these. */
const withoutBroker: ReadonlySet<string> = new Set(['master', 'model', 'tempdb']);

function trouble(kind: Trouble['kind'], grade: Grade, place: Place, count: number, object = ''): Trouble[] {
  return count > 0 ? [{ kind, grade, ...place, object, count }] : [];
}

function databasesOf({ databases }: InstanceSummary): DatabaseSummary[] {
  return databases.filter(({ name }) => !withoutBroker.has(name));
}

function ofDatabases(
  find: (database: DatabaseSummary, place: Place, around: Circumstances) => Trouble[],
): Rung['troubles'] {
  return (summary, around) =>
    databasesOf(summary).flatMap((database) =>
      find(database, { instance: summary.name, database: database.name }, around),
    );
}

function ofInstance(
  find: (summary: InstanceSummary, place: Place, around: Circumstances) => Trouble[],
): Rung['troubles'] {
  return (summary, around) => find(summary, { instance: summary.name, database: null }, around);
}

function sumOf(read: (database: DatabaseSummary) => number): Rung['looked'] {
  return (summary) => databasesOf(summary).reduce((sum, database) => sum + read(database), 0);
}

const one = () => 1;
const conversations = sumOf((database) => database.conversations.total);

export const rungs: Readonly<Record<RungName, Rung>> = {
  broker: {
    looked: sumOf(one),
    troubles: ofDatabases((database, place) =>
      trouble('broker-off', 'bad', place, Number(!database.is_broker_enabled)),
    ),
  },
  databases: {
    looked: sumOf(one),
    troubles: ofDatabases(({ is_broker_enabled: isOn, state, number }, place) =>
      // A mirror copy is out of reach by design.
      trouble('database-out', 'bad', place, Number(isOn && number !== null && state !== 'mirror'), String(number)),
    ),
  },
  endpoint: { looked: one, troubles: ofInstance(endpointTroubles) },
  addresses: {
    looked: ({ connections, failing_connections: failing }) =>
      Object.values(connections).reduce((sum, count) => sum + count, 0) + failing.length,
    troubles: ofInstance(({ failing_connections: failing }, place) =>
      failing.flatMap((address) => trouble('address', 'bad', place, 1, address)),
    ),
  },
  logins: {
    looked: ({ connections }) => connections.LOGGED_IN ?? 0,
    troubles: ofInstance(({ connections }, place) =>
      trouble(
        'login',
        'warning',
        place,
        (connections.NEW ?? 0) + (connections.CONNECTING ?? 0) + (connections.CONNECTED ?? 0),
      ),
    ),
  },
  mirrors: {
    looked: ({ mirrors }) => mirrors.length,
    troubles: ofInstance(({ mirrors }, place) =>
      mirrors.flatMap(({ route, state, are_both_principal: areBoth }) => [
        ...trouble('both-principal', 'bad', place, Number(areBoth), route),
        ...trouble(
          'searching',
          'bad',
          place,
          Number(!areBoth && (state === 'SEARCHING' || state === 'UNKNOWN')),
          route,
        ),
      ]),
    ),
  },
  transmission: {
    looked: sumOf(({ transmission }) => transmission),
    troubles: ofDatabases(({ blocked, transmission, oldest }, place, { now }) => [
      ...trouble('blocked', 'bad', place, blocked),
      // The oldest may be one of those that are blocked; then these are said to be so, and no more.
      ...trouble(
        'unacknowledged',
        'warning',
        place,
        blocked === 0 && oldest !== null && now - oldest >= unacknowledgedSeconds ? transmission : 0,
      ),
    ]),
  },
  dropped: {
    looked: one,
    troubles: ofInstance(({ counts }, place) => [
      ...trouble('corrupted', 'warning', place, counts.corrupted),
      ...trouble('dropped', 'warning', place, counts.dropped),
      ...trouble('forwards-dropped', 'warning', place, counts.forwards_dropped),
    ]),
  },
  errors: {
    looked: conversations,
    troubles: ofDatabases((database, place) => trouble('error', 'bad', place, database.conversations.by_state.ER ?? 0)),
  },
  closed: {
    looked: conversations,
    troubles: ofDatabases(({ conversations: { closed } }, place) => [
      ...trouble('overdue', 'warning', place, closed.overdue ?? 0),
      ...trouble('leaked', 'warning', place, closed.leaked ?? 0),
    ]),
  },
  queues: { looked: sumOf(one), troubles: ofDatabases(queueTroubles) },
  readers: {
    looked: sumOf(({ readers }) => readers),
    troubles: ofDatabases(({ busy_queues: busy }, place) =>
      busy.flatMap((queue) => trouble('busy', 'warning', place, 1, queue)),
    ),
  },
  activation: {
    looked: sumOf(({ readers }) => readers),
    troubles: ofInstance(({ counts }, place) => [
      ...trouble('activation-error', 'warning', place, counts.activation_errors),
      ...trouble('rollback', 'warning', place, counts.rollbacks),
    ]),
  },
};

function endpointTroubles(summary: InstanceSummary, place: Place, { hasOthers }: Circumstances): Trouble[] {
  const { endpoint_state: state, listening_port: port, listening_error: error } = summary;
  if (state === null) {
    return trouble('no-endpoint', 'warning', place, Number(hasOthers));
  }
  return state === 'STARTED'
    ? trouble('deaf', 'bad', place, Number(port === null || error !== ''), error)
    : trouble('endpoint-off', 'bad', place, 1, state);
}

/** Whoever switched it off, what comes for a queue that is off waits. */
function queueTroubles(
  { disabled_queues: disabled, poisoned_queues: poisoned }: DatabaseSummary,
  place: Place,
): Trouble[] {
  return disabled.flatMap((queue) =>
    trouble(poisoned.includes(queue) ? 'poisoned' : 'disabled', 'bad', place, 1, queue),
  );
}
