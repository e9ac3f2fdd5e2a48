// Shapes of the gate of Apply, until the generated ones have them.
import type { Disposition, FlowChange, FlowQuestion } from './api';

export type DraftFlow = {
  key: string;
  question: FlowQuestion;
  change: FlowChange;
  before: Disposition | null;
  after: Disposition | null;
  before_number: number | null;
  after_number: number | null;
  before_route: string | null;
  after_route: string | null;
  is_intended: boolean;
  intended_by: string | null;
  is_observed: boolean;
};
export type DraftFlows = {
  number: number;
  sequence: number;
  flows: number;
  unchanged: number;
  lost: number;
  moved: number;
  gained: number;
  unticked: number;
  rows: DraftFlow[];
  page: number;
  pages: number;
  unread: string[];
};
