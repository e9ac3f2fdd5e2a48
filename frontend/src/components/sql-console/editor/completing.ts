import type { Completion, CompletionContext, CompletionResult, CompletionSource } from '@codemirror/autocomplete';

import type { Completion as Told } from '../socket';

/** A word that may hold what names of services are made of, or that stands in brackets. */
const word = /(?:\[[^\]\r\n]*|[\p{L}\p{N}_@#$./:-]+)$/u;

/** Characters of the script around the cursor that the server looks at. */
const lookBack = 100_000;
const lookAhead = 200;

export type Completing = {
  names: () => readonly Completion[];
  /** What the server offers at a place of the script; null when it offers nothing. */
  ask: (script: string, position: number) => Promise<Told | null>;
};

/** Completion: what the session on the server offers, with the names of the model beside it. */
export function completionSource({ names, ask }: Completing): CompletionSource {
  return async (context: CompletionContext): Promise<CompletionResult | null> => {
    const typed = context.matchBefore(word);
    if (typed === null && !context.explicit) {
      return null;
    }
    const from = typed?.from ?? context.pos;
    const begin = Math.max(0, context.pos - lookBack);
    const told = await ask(context.state.sliceDoc(begin, context.pos + lookAhead), context.pos - begin);
    if (context.aborted) {
      return null;
    }
    if (told !== null && told.options.length > 0) {
      return {
        from: begin + told.beginsAt,
        options: told.options.map(({ label, kind, detail, apply }) => ({
          label,
          detail: detail === '' ? kind : detail,
          apply,
        })),
        validFor: /^[\p{L}\p{N}_@#$[]*$/u,
      };
    }
    const isBracketed = typed?.text.startsWith('[') === true;
    return {
      from: isBracketed ? from + 1 : from,
      options: names().map((each) => (isBracketed ? { ...each, apply: closed(each, context) } : each)),
      validFor: isBracketed ? /^[^\]\r\n]*$/ : /^[\p{L}\p{N}_@#$./:-]*$/u,
    };
  };
}

/** Within brackets that were typed the name stands bare, and the bracket that is missing is added. */
function closed({ label }: Completion, context: CompletionContext): string {
  const isClosed = context.state.sliceDoc(context.pos, context.pos + 1) === ']';
  return `${label.replaceAll(']', ']]')}${isClosed ? '' : ']'}`;
}
