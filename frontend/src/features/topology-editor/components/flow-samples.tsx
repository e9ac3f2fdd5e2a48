import { useEffect } from 'react';

import type { Estate } from '@/contracts/api';
import { useTopic } from '@/hooks/use-topics';
import { noFlows, useFlowStore } from '@/lib/flow-store';
import { useLiveStore } from '@/lib/live-store';
import { flowsOf, noMemory, observe } from '@/live/flows';
import { sourcesOf } from '@/live/grid/sources';
import { keyOf } from '@/live/streams';
import { summariesOf } from '@/live/summary';

import { connectionsOf, largestRate, routesOf } from '../line-flows';

const sampleMilliseconds = 1000;
/**
 * As many rows as there are when nothing is said; said, so that `live` of the store is not put together anew with every
 * count of bytes.
 */
const params = { rows: 200 } as const;

/** Follows the connections and samples them while it is there, and what the shell follows of the routes. */
export function FlowSamples({ estate }: { estate: Estate }) {
  const { name } = estate;
  useTopic(name, 'connections', params);
  useEffect(() => {
    let memory = noMemory;
    const sample = () => {
      const { topics, clockAheadMilliseconds: ahead } = useLiveStore.getState();
      const topic = topics[keyOf({ estate: name, topic: 'connections', params })];
      if (topic === undefined || (topic.seq === 0 && topic.denied === null)) {
        return;
      }
      const sources = sourcesOf(
        topic,
        estate.instances.map((instance) => instance.name),
        ahead,
      );
      const unknown = new Set(sources.filter(({ state }) => state !== 'known').map(({ instance }) => instance));
      const shared = connectionsOf(estate, topic.table);
      const summaries = topics[keyOf({ estate: name, topic: 'instances', params: {} })];
      const now = Date.now();
      const connections = [
        ...shared,
        ...(summaries === undefined
          ? []
          : routesOf(estate, summariesOf(summaries.table), shared, (now + ahead) / 1000)),
      ];
      memory = observe(memory, connections, now);
      const flows = flowsOf(memory, connections);
      useFlowStore.setState({
        flows,
        unknown,
        largest: unknown.size === sources.length ? null : largestRate({ flows, unknown }),
      });
    };
    sample();
    const timer = setInterval(sample, sampleMilliseconds);
    return () => {
      clearInterval(timer);
      useFlowStore.setState(noFlows);
    };
  }, [name, estate]);
  return null;
}
