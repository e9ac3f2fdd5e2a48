// The way on view as the map draws it.
import { dispositionWord, verdictOfDisposition } from '@/components/what-if/words';
import type { ToldAnswer } from '@/contracts/api';
import { endBoxes, losersOf, pathHops, routeText, type ShownPath } from '@/topology/path';
import { isReached, waysOf, type Position } from '@/topology/what-if-steps';

const none: ReadonlySet<string> = new Set();

/**
 * A leg by one of its ways. While a hop is explained, the hops after it are not gone yet; what was considered is drawn
 * while the candidates are looked at, or when somebody asks why it was not them.
 */
export function shownPath(
  answer: ToldAnswer,
  { leg, way: at, hop, stage }: Position,
  why: number | null,
): ShownPath | null {
  const way = waysOf(answer, leg)[at];
  if (way === undefined) {
    return null;
  }
  const last = way.hops.length - 1;
  const hops = pathHops(way.hops.slice(0, (hop ?? last) + 1)).map((each, index) =>
    index === hop && !isReached('choose', stage) ? { ...each, route: null, target: null } : each,
  );
  const asked = why === null ? undefined : way.hops[why];
  const explained = hop === null ? undefined : way.hops[hop];
  const considered = stage === 'match' && explained !== undefined ? explained : null;
  return {
    hops,
    all: pathHops(way.hops),
    now: hop === null ? null : hop + 1,
    losers: asked !== undefined ? losersOf(asked) : considered === null ? none : candidatesOf(considered),
    end:
      hop !== null && (hop < last || !isReached('go', stage))
        ? null
        : {
            verdict: verdictOfDisposition(way.disposition),
            word: dispositionWord(way.disposition, way.number?.number ?? null),
            boxes: endBoxes(way),
          },
  };
}

function candidatesOf({ instance, table, candidates }: ToldAnswer['legs'][number]['ways'][number]['hops'][number]) {
  return new Set(candidates.map((route) => routeText(instance, table, route)));
}
