// Links to an answer: what they hold, and whether the answer is still the one that was there when they were made.
import type { WhatIf } from '@/contracts/api';
import { whatIfAddress } from '@/topology/what-if-address';

/**
 * The address at which the same is asked of the same: the revision or the draft, the instant and the failures are
 * named, also where the question was about what is live now.
 */
export function linkOf(estate: string, { basis, answer, fingerprint }: WhatIf): string {
  const isDraft = basis.change_set !== null;
  const address = whatIfAddress(estate, answer.question, {
    draft: basis.change_set,
    revision: isDraft ? null : basis.revision,
    at: basis.at,
    faults: answer.faults,
  });
  const shared = new URLSearchParams({
    ...(basis.sequence === null ? {} : { sequence: String(basis.sequence) }),
    engine: basis.engine_version,
    print: fingerprint,
  });
  return `${address}&${shared.toString()}`;
}

export type SinceShared = {
  isSame: boolean;
  /** The engine that gave the answer then, where it is another one now. */
  engine: string | null;
  /** Whether the draft has been worked on since. */
  hasMoved: boolean;
};

/** What has become of the answer that a link was made of; null for an address that was not shared. */
export function sinceShared(parameters: URLSearchParams, { basis, fingerprint }: WhatIf): SinceShared | null {
  const print = parameters.get('print');
  if (print === null) {
    return null;
  }
  const engine = parameters.get('engine');
  const sequence = parameters.get('sequence');
  return {
    isSame: print === fingerprint,
    engine: engine === null || engine === basis.engine_version ? null : engine,
    hasMoved: sequence !== null && basis.sequence !== null && sequence !== String(basis.sequence),
  };
}
