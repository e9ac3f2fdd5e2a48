// What travels on /ws/live, protocol 2 (docs/live.md). A frame of the server is an array of messages, one of the page a
// single one. Cells carry SQL Server's own column names; instants are seconds since 1970, UTC.

export type Topic =
  | 'estate'
  | 'instances'
  | 'conversations'
  | 'transmissions'
  | 'forwarded'
  | 'queues'
  | 'connections'
  | 'mirrors'
  | 'counters'
  | 'trace';

export type TopicParams = Readonly<Record<string, unknown>>;

export type Cell = unknown;

export type Column = { name: string; type: string; nullable: boolean; is_vendors: boolean };

/** Where a fold stands. */
export type Cursor = { stream: string; seq: number };

/** What changes from one table to the next, carried out in this order; `live/tables.ts` says how. */
export type Ops = {
  cells?: readonly (readonly [place: number, ...columnsAndValues: Cell[]])[];
  gone?: readonly number[];
  rows?: readonly (readonly [place: number, key: string, ...cells: Cell[]])[];
  order?: readonly number[];
  facts?: Readonly<Record<string, unknown>>;
  lost?: readonly string[];
};

export type SnapshotMessage = {
  type: 'snapshot';
  stream: string;
  seq: number;
  at: number;
  events: Readonly<Record<string, number>>;
  columns: readonly Column[];
  keys: readonly string[];
  rows: readonly (readonly Cell[])[];
  facts: Readonly<Record<string, unknown>>;
};

export type DeltaMessage = {
  type: 'delta';
  stream: string;
  from: number;
  to: number;
  at: number;
  events: Readonly<Record<string, number>>;
  ops: Ops;
};

export type Mode = 'live' | 'reduced';

export type ClientMessage =
  | { type: 'hello'; protocol: 2; tab: string }
  | { type: 'sub'; sub: number; estate: string; topic: Topic; params: TopicParams; cursor: Cursor | null }
  | { type: 'unsub'; sub: number }
  | { type: 'ack'; frames: number }
  | { type: 'hb' };

export type ServerMessage =
  | {
      type: 'welcome';
      connection: string;
      server_time: number;
      heartbeat_seconds: number;
      ack_seconds: number;
      protocol: number;
    }
  | { type: 'subscribed'; sub: number; stream: string; resumes: boolean }
  | SnapshotMessage
  | DeltaMessage
  | { type: 'hb'; server_time: number; streams: Readonly<Record<string, number>> }
  | { type: 'resync'; stream: string; reason: string }
  | { type: 'denied'; sub: number; code: number; reason: string; detail: string }
  | { type: 'mode'; mode: Mode; reason: string }
  | { type: 'rights' }
  | { type: 'refused'; code: number; reason: string };

/** An open change set and how far it has come. */
export type ChangeSetTag = { number: number; sequence: number };

/** An instance that does not have what is wanted of it. */
export type InstanceBehind = { name: string; applied_revision: number; apply_error: string };

/**
 * The facts of topic `estate`. `state` is the tag that its answer over HTTP bears too; who is not in `behind` has what
 * is wanted.
 */
export type EstateFacts = {
  revision: number;
  state: string;
  instances: readonly string[];
  behind: readonly InstanceBehind[];
  change_sets: readonly ChangeSetTag[];
  /** Of a sandbox: what both clocks showed at one instant, in seconds since 1970, and how fast its own goes since. */
  clock?: { wall: number; utc: number; rate: number };
};

/** What topics of instances tell of each of them beside its rows. */
export type InstanceFacts = {
  /** It does not answer: rows are those of `since`, the server's time, null when there are none. */
  unavailable?: { reason: string; since: number | null };
  /** It refuses what is asked, with the engine's number. */
  refused?: { number: number; detail: string };
  /** The estate has no such instance. */
  missing?: boolean;
  total?: number | null;
  has_more?: boolean;
};
