import { useEffect } from 'react';

import type { Estate } from '@/contracts/api';
import { useTopic } from '@/hooks/use-topics';
import { noFlows, useFlowStore } from '@/lib/flow-store';
import { useLiveStore } from '@/lib/live-store';
import { flowsOf, noMemory, observe } from '@/live/flows';
import { sourcesOf } from '@/live/grid/sources';
import { keyOf } from '@/live/streams';

import { connectionsOf, largestRate } from '../line-flows';

const sampleMilliseconds = 1000;
/**
 * As many rows as there are when nothing is said; said, so that `live` of the store is not put together anew with every
 * count of bytes.
 */
const params = { rows: 200 } as const;

/** Follows the connections and samples them while it is there. */
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
      const connections = connectionsOf(estate, topic.table);
      memory = observe(memory, connections, Date.now());
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
