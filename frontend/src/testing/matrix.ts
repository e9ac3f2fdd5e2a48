// Flows under failures for tests.
import type { FlowCell, FlowCells, FlowMatrix, FlowQuestion } from '@/contracts/api';
import type { Fault } from '@/topology/faults';

/** The fault as the server tells it. */
export const toldFault = ({ kind, instance, other, database, queue }: Fault) => ({
  kind,
  instance,
  other: other ?? null,
  database: database ?? null,
  queue: queue ?? null,
});

export const arrives: FlowCell = {
  disposition: 'delivered',
  works: true,
  light: 'green',
  number: null,
  change: 'unchanged',
};
export const lost: FlowCell = { disposition: 'unreachable', works: false, light: 'red', number: 9754, change: 'lost' };
export const mute: FlowCell = { disposition: 'sender-down', works: false, light: 'red', number: null, change: null };

export function row(question: FlowQuestion, cells: FlowCell[]): FlowCells {
  return { key: `${question.service} ${question.to_service}`, question, base: arrives, cells };
}

/** The totals are those of the rows. */
export function matrix(failures: readonly (readonly Fault[])[], rows: FlowCells[]): FlowMatrix {
  return {
    totals: failures.map((faults, at) => {
      const changes = rows.map(({ cells }) => cells[at]?.change);
      const count = (change: FlowCell['change']) => changes.filter((each) => each === change).length;
      return {
        faults: faults.map(toldFault),
        lost: count('lost'),
        moved: count('moved'),
        gained: count('gained'),
        unchanged: count('unchanged'),
        sender_down: count(null),
      };
    }),
    rows,
    flows: rows.length,
    is_whole: true,
    page: 1,
    pages: 1,
  };
}
