/** A text in three pieces: before the term, the term as it stands there with its ending, and what follows. */
export type Pieces = readonly [before: string, word: string, after: string];

/**
 * Finds a term in a text, whatever its case and ending: `Routes` for `Route`. Where it does not occur, the whole text
 * stands for it.
 */
export function wordOf(text: string, term: string): Pieces {
  const found = new RegExp(`(?<![\\p{L}\\p{N}])${escaped(term)}\\p{L}{0,2}(?![\\p{L}\\p{N}])`, 'iu').exec(text);
  if (found === null) {
    return ['', text, ''];
  }
  const end = found.index + found[0].length;
  return [text.slice(0, found.index), found[0], text.slice(end)];
}

const escaped = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
