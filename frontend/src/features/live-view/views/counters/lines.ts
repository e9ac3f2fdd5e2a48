import type { Chart, Counter } from '@/live/grid/counters';

import type { PlotLine } from '../../frame/plot/line-chart';

/** Whose line it is: the instance, or, of counters of each database, the database. */
export function lineName({ instance, of }: Counter): string {
  return of === '' || of === '_Total' ? instance : of;
}

export function plotLines({ lines }: Chart): PlotLine[] {
  return lines.map(({ counter, figures }) => ({ name: lineName(counter), figures }));
}
