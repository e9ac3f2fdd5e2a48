// The steps of a round trip, hop by hop over its four legs, and how one goes through them.
import type { LegKind, ToldAnswer, ToldHop, ToldWay } from '@/contracts/api';

export const legKinds: readonly LegKind[] = ['message', 'acknowledgement', 'reply', 'reply-acknowledgement'];

/** How one decision is explained: whose table, which routes fit, which one is taken, where it goes. */
export const stages = ['table', 'match', 'choose', 'go'] as const;
export type Stage = (typeof stages)[number];

export type Step = {
  leg: LegKind;
  /** Which of the ways of the leg, the likeliest first. */
  way: number;
  /** Which of its hops; 0 as well for a way that needs none. */
  hop: number;
};

/** What is on view: a leg by one of its ways; as a whole, or one hop of it, or that only up to one stage. */
export type Position = {
  leg: LegKind;
  way: number;
  hop: number | null;
  stage: Stage | null;
};

export const start: Position = { leg: 'message', way: 0, hop: null, stage: null };

/** The ways of a leg; none for a leg that nothing sets out on. */
export function waysOf(answer: ToldAnswer, leg: LegKind): ToldWay[] {
  return answer.legs.find(({ kind }) => kind === leg)?.ways ?? [];
}

/** Every step of the round trip: the leg of `position` by its way, the others by their likeliest. */
export function stepsOf(answer: ToldAnswer, position: Position): Step[] {
  return legKinds.flatMap((leg) => {
    const ways = waysOf(answer, leg);
    const way = leg === position.leg && position.way < ways.length ? position.way : 0;
    const shown = ways[way];
    return shown === undefined
      ? []
      : Array.from({ length: Math.max(1, shown.hops.length) }, (_, hop): Step => ({ leg, way, hop }));
  });
}

/** The position as the answer has it: what an old link names and the answer lacks is left out. */
export function within(answer: ToldAnswer, { leg, way, hop, stage }: Position): Position {
  const ways = waysOf(answer, leg);
  const shown = way < ways.length ? way : 0;
  const hops = ways[shown]?.hops ?? [];
  if (hop === null || hop >= Math.max(1, hops.length)) {
    return { leg, way: shown, hop: null, stage: null };
  }
  const decision = hops[hop];
  return {
    leg,
    way: shown,
    hop,
    stage: decision !== undefined && stage !== null && stagesOf(decision).includes(stage) ? stage : null,
  };
}

/** The place of a position among the steps; -1 while a leg is on view as a whole. */
export function placeOf(steps: readonly Step[], { leg, hop }: Position): number {
  return hop === null ? -1 : steps.findIndex((step) => step.leg === leg && step.hop === hop);
}

/** Which stages a decision has: no table is read for what needs no route, and nothing is chosen where nothing fits. */
export function stagesOf({ match_step: match, candidates }: ToldHop): Stage[] {
  if (match === null || match === 0) {
    return ['table', 'go'];
  }
  return candidates.length === 0 ? ['table', 'match', 'go'] : [...stages];
}

export type Move = 'first' | 'back' | 'forward' | 'last';

/** One step on or back; from a leg as a whole, to its first step, and at both ends of the trip, nowhere. */
export function moved(steps: readonly Step[], position: Position, move: Move): Position {
  const at = placeOf(steps, position);
  const first = steps.findIndex(({ leg }) => leg === position.leg);
  const to = {
    first: 0,
    back: at < 0 ? first : at - 1,
    forward: at < 0 ? first : at + 1,
    last: steps.length - 1,
  }[move];
  const step = steps[Math.min(Math.max(to, 0), steps.length - 1)];
  return step === undefined ? position : { ...step, stage: null };
}

/** What the player shows next: stage by stage, then the next hop from its first stage; null at the end of the trip. */
export function played(answer: ToldAnswer, steps: readonly Step[], position: Position): Position | null {
  const at = placeOf(steps, position);
  const step = steps[at];
  const hop = step === undefined ? undefined : waysOf(answer, step.leg)[step.way]?.hops[step.hop];
  const shown = hop === undefined || position.stage === null ? [] : stagesOf(hop);
  const stage = shown[shown.indexOf(position.stage ?? 'go') + 1];
  if (step !== undefined && stage !== undefined) {
    return { ...position, stage };
  }
  if (at === steps.length - 1) {
    return null;
  }
  return firstStage(moved(steps, position, 'forward'), answer);
}

/** A hop from its beginning; one without a decision has no stages. */
export function firstStage(position: Position, answer: ToldAnswer): Position {
  const hop = position.hop === null ? undefined : waysOf(answer, position.leg)[position.way]?.hops[position.hop];
  return { ...position, stage: hop === undefined ? null : 'table' };
}

/** Whether a stage is on view yet. */
export function isReached(stage: Stage, until: Stage | null): boolean {
  return until === null || stages.indexOf(stage) <= stages.indexOf(until);
}
