import type { ReactNode } from 'react';

import { VerdictIcon } from '@/components/ui/verdict-icon';
import type { ConversationNamed, ConversationEndResult } from '@/contracts/api';
import { problemLine, readProblem } from '@/lib/errors';
import type { Verdict } from '@/theme/tokens';

import classes from './actions.module.css';

type Result = ConversationNamed & { problem: ConversationEndResult['problem'] };

type Props<R extends Result> = {
  label: string;
  results: readonly R[];
  /** What came of one that was done. */
  words: (result: R) => ReactNode;
  /** The sign of one that was done. */
  verdict?: (result: R) => Verdict;
};

/** What came of each of several, a line each: those that were not done first, with why. */
export function Results<R extends Result>({ label, results, words, verdict = () => 'delivered' }: Props<R>) {
  const ordered = results.toSorted((one, other) => Number(one.problem === null) - Number(other.problem === null));
  return (
    <ul className={classes.results} aria-label={label}>
      {ordered.map((result) => (
        <li key={`${result.instance} ${result.database} ${result.conversation_handle}`}>
          <VerdictIcon verdict={result.problem === null ? verdict(result) : 'error'} size={14} />
          <span>
            <span className={classes.handle}>{result.conversation_handle}</span>{' '}
            {`${result.instance} · ${result.database}`}
            <br />
            {result.problem === null ? words(result) : problemLine(readProblem(result.problem.status, result.problem))}
          </span>
        </li>
      ))}
    </ul>
  );
}
