// The shapes of what-if answers, as `engine/whatif/telling.py` has them.
export type Light = 'green' | 'amber' | 'red' | 'grey';
export type LegKind = 'message' | 'acknowledgement' | 'reply' | 'reply-acknowledgement';
export type FlowChange = 'lost' | 'moved' | 'gained' | 'unchanged';
export type Disposition =
  | 'delivered'
  | 'held-queue-off'
  | 'delayed'
  | 'asking'
  | 'sender-down'
  | 'nobody-there'
  | 'unreachable'
  | 'nobody-claims'
  | 'discarded'
  | 'refused'
  | 'refused-unheard'
  | 'loop'
  | 'hops-used-up';
export type FaultKind = 'instance' | 'link' | 'endpoint' | 'database' | 'queue' | 'partner';

export type Fault = {
  kind: FaultKind;
  instance: string;
  other?: string | null;
  database?: string | null;
  queue?: string | null;
};

export type FlowQuestion = {
  instance: string;
  database: string;
  service: string;
  to_service: string;
  broker_instance?: string | null;
};

export type ToldNumber = { number: number; text: string; why: string; cure: string };
export type LossReason =
  | 'service-differs'
  | 'service-differs-in-case'
  | 'broker-instance-differs'
  | 'expired'
  | 'later-step'
  | 'other-broker-instance-picked'
  | 'counts-as-one'
  | 'address-kind-later'
  | 'service-not-here'
  | 'not-drawn';
export type ToldLoss = {
  route: string;
  reason: LossReason;
  sentence: string;
  parameter: string | number | null;
};

export type ToldHop = {
  instance: string;
  origin: 'inside' | 'outside';
  table: string;
  classification: 'local' | 'remote' | 'delayed' | 'dropped';
  match_step: number | null;
  choose_step: number | null;
  route: string | null;
  candidates: string[];
  losses: ToldLoss[];
  others: number;
  address: string | null;
  next_instance: string | null;
  mirror_address: string | null;
  database: string | null;
  number: ToldNumber | null;
  caution: 'hardening-bypassed' | 'leads-to-itself' | null;
  share: number;
  proof: string[];
};

export type ToldWay = {
  share: number;
  disposition: Disposition;
  light: Light;
  hops: ToldHop[];
  instance: string;
  database: string | null;
  number: ToldNumber | null;
  further: string | null;
};
export type ToldLeg = { kind: LegKind; light: Light; arrives: number; ways: ToldWay[] };
export type ToldAnswer = {
  question: FlowQuestion;
  at: number | string;
  faults: Fault[];
  disposition: Disposition;
  light: Light;
  stays_unacknowledged: boolean;
  legs: ToldLeg[];
  followed: number;
  engine_version: string;
};

export type ToldStep = {
  instance: string;
  table: string;
  route: string | null;
  address: string | null;
  database: string | null;
  number: number | null;
};
export type ToldStepChange = { leg: LegKind; before: ToldStep | null; after: ToldStep | null };
export type ToldDifference = {
  change: FlowChange;
  before: Disposition;
  after: Disposition;
  steps: ToldStepChange[];
};

export type Example = { question: FlowQuestion; disposition: Disposition; light: Light };
