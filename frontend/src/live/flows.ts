// What goes from one instance to another, by the counters of their connections: a rate is the difference of two samples
// that this browser has taken, and the worst verdict of the last minute is the worst that it has seen.

/** `idle`: nothing is sent, and nothing is wrong. `unknown`: the sender does not say how it is now. */
export const flowVerdicts = ['idle', 'delivered', 'delayed', 'lost', 'unknown'] as const;
export type FlowVerdict = (typeof flowVerdicts)[number];

/** A connection, or an address to which there is none, as its own side tells it. */
export type Connection = {
  key: string;
  /** From whom to whom; connections between the same two have the same. */
  flow: string;
  /** Since it was opened. */
  messages: number;
  bytes: number;
  error: number | null;
  detail: string;
  isLoggedIn: boolean;
  /** Whether sending is held back. */
  isHeld: boolean;
  /** Conversations that wait for it or use it. */
  conversations: number;
};

export type Flow = {
  /** Messages a second; null before there are two samples. */
  rate: number | null;
  bytesRate: number | null;
  /** The worst of the last minute. */
  verdict: FlowVerdict;
  /** Why there is no connection now, by the vendor's number. */
  error: number | null;
  detail: string;
};

type Counters = { messages: number; bytes: number };
type Sample = { at: number; connections: ReadonlyMap<string, Counters> };

/** What is kept from one sample to the next; times are milliseconds. */
export type FlowMemory = {
  samples: readonly Sample[];
  seen: ReadonlyMap<string, ReadonlyMap<FlowVerdict, number>>;
  /** Since when each connection for which conversations wait has been without a login. */
  loggingIn: ReadonlyMap<string, number>;
};

export const noMemory: FlowMemory = { samples: [], seen: new Map(), loggingIn: new Map() };

const windowMilliseconds = 5000;
/** A login takes a moment; a connection that is merely new holds nobody up. */
const loginMilliseconds = 2000;
const worstMilliseconds = 60_000;

/** Takes a sample into the memory; what is older than it needs is forgotten. */
export function observe(memory: FlowMemory, connections: readonly Connection[], at: number): FlowMemory {
  const { samples, seen } = memory;
  const sample = {
    at,
    connections: new Map(connections.map(({ key, messages, bytes }) => [key, { messages, bytes }])),
  };
  const kept = [...samples.filter((one) => one.at >= at - windowMilliseconds && one.at < at), sample];
  const rates = ratesOf(kept);
  const after = new Map<string, Map<FlowVerdict, number>>();
  for (const [flow, verdicts] of seen) {
    const young = [...verdicts].filter(([, seenAt]) => seenAt > at - worstMilliseconds);
    if (young.length > 0) {
      after.set(flow, new Map(young));
    }
  }
  const loggingIn = new Map(
    connections
      .filter(({ error, isLoggedIn, conversations }) => error === null && !isLoggedIn && conversations > 0)
      .map(({ key }) => [key, memory.loggingIn.get(key) ?? at]),
  );
  for (const connection of connections) {
    const isLate = at - (loggingIn.get(connection.key) ?? at) >= loginMilliseconds;
    const verdicts = after.get(connection.flow) ?? new Map<FlowVerdict, number>();
    after.set(connection.flow, verdicts.set(verdictOf(connection, isLate, rates?.get(connection.key)), at));
  }
  return { samples: kept, seen: after, loggingIn };
}

/** The flows that a memory and the newest connections come to. */
export function flowsOf(memory: FlowMemory, connections: readonly Connection[]): Map<string, Flow> {
  const rates = ratesOf(memory.samples);
  const flows = new Map<string, Flow>();
  for (const [flow, verdicts] of memory.seen) {
    flows.set(flow, { ...still, verdict: worst([...verdicts.keys()]) });
  }
  for (const { key, flow, error, detail } of connections) {
    const rate = rates?.get(key);
    const own: Flow = { rate: rate?.messages ?? null, bytesRate: rate?.bytes ?? null, verdict: 'idle', error, detail };
    flows.set(flow, together([flows.get(flow) ?? still, own]));
  }
  return flows;
}

const still: Flow = { rate: null, bytesRate: null, verdict: 'idle', error: null, detail: '' };
export const unknownFlow: Flow = { ...still, verdict: 'unknown' };

/** Several flows as one: their rates added up, the worst verdict, the first error. */
export function together(flows: readonly Flow[]): Flow {
  const failed = flows.find(({ error }) => error !== null);
  return {
    rate: sum(flows.map(({ rate }) => rate)),
    bytesRate: sum(flows.map(({ bytesRate }) => bytesRate)),
    verdict: worst(flows.map(({ verdict }) => verdict)),
    error: failed?.error ?? null,
    detail: failed?.detail ?? '',
  };
}

function sum(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((all, value) => all + value, 0);
}

/** What is unknown is worse than all that is known: it might be anything. */
function worst(verdicts: readonly FlowVerdict[]): FlowVerdict {
  return flowVerdicts[Math.max(0, ...verdicts.map((verdict) => flowVerdicts.indexOf(verdict)))] ?? 'idle';
}

function verdictOf({ error, isHeld }: Connection, isLate: boolean, rate: Counters | undefined): FlowVerdict {
  if (error !== null) {
    return 'lost';
  }
  if (isHeld || isLate) {
    return 'delayed';
  }
  return rate !== undefined && rate.messages > 0 ? 'delivered' : 'idle';
}

/**
 * Of each connection, by the samples of the window; null while there is only one. One that has come meanwhile counts
 * from where it was first seen, so that an instance that answers again does not look like a burst.
 */
function ratesOf(samples: readonly Sample[]): ReadonlyMap<string, Counters> | null {
  const [oldest, newest] = [samples[0], samples.at(-1)];
  if (oldest === undefined || newest === undefined || newest.at <= oldest.at) {
    return null;
  }
  const seconds = (newest.at - oldest.at) / 1000;
  return new Map(
    [...newest.connections].map(([key, now]) => {
      const before =
        samples.map(({ connections }) => connections.get(key)).find((counters) => counters !== undefined) ?? now;
      return [
        key,
        {
          messages: Math.max(0, now.messages - before.messages) / seconds,
          bytes: Math.max(0, now.bytes - before.bytes) / seconds,
        },
      ];
    }),
  );
}

/** Where a rate stands between nothing and the largest there is now, from 0 to 1, on a logarithmic scale. */
export function shareOf(rate: number, largest: number): number {
  return rate <= 0 || largest <= 0 ? 0 : Math.min(1, Math.log1p(rate) / Math.log1p(largest));
}
