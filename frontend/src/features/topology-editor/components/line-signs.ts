import type { RouteEdge } from '../flow-elements';

/** What a route is, for the style sheet of its line and of its label. */
export function routeSigns({ line, isSelected, isMarked, draft, part }: RouteEdge) {
  return {
    'data-selected': isSelected || isMarked,
    'data-expired': line.route.is_expired,
    'data-draft': draft ?? undefined,
    'data-path': part ?? undefined,
    'data-mirrored': line.part !== 'whole',
  };
}
