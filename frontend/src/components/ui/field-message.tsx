import type { ReactNode } from 'react';

import type { Problem } from '@/lib/errors';
import { problemLine, sentence } from '@/lib/errors';
import type { FieldProblem } from '@/topology/validate';

/** What stands under a field: the server's words when it refused the value, otherwise what is seen while typing. */
export function fieldMessage(
  found: Pick<FieldProblem, 'number' | 'text'> | undefined,
  refused: Problem | null,
): ReactNode {
  if (refused !== null) {
    return (
      <span role="alert">
        {sentence(problemLine(refused))} {refused.why} <strong>{refused.cure}</strong>
      </span>
    );
  }
  if (found === undefined) {
    return null;
  }
  return found.number === null ? found.text : `${found.number} · ${found.text}`;
}
