import { useEffect, useEffectEvent, useState } from 'react';

import { withSample, type Sample } from '@/live/grid/trend';

const everyMilliseconds = 1000;

/** The last minute of some figures, a sample a second; none are taken while they are not known to be those of now. */
export function useSamples(figures: Readonly<Record<string, number>> | null): readonly Sample[] {
  const [samples, setSamples] = useState<readonly Sample[]>([]);
  const take = useEffectEvent(() => {
    if (figures !== null) {
      setSamples((before) => withSample(before, { at: Date.now(), figures }));
    }
  });
  useEffect(() => {
    const timer = setInterval(() => {
      take();
    }, everyMilliseconds);
    return () => {
      clearInterval(timer);
    };
  }, []);
  return samples;
}
