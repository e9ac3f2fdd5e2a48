// The layout engine, in a worker of its own and fetched only when the first drawing is asked for.
import type { ELK, ElkNode } from 'elkjs/lib/elk-api';

import { mostCompact, readAnswer, type ElkQuestion, type Layout } from '@/topology/layout';

let engine: Promise<ELK> | undefined;

async function start(): Promise<ELK> {
  const [{ default: Engine }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ]);
  return new Engine({ workerUrl });
}

export type Arranged = {
  layout: Layout;
  /** Which of the ways to arrange the drawing it is. */
  arrangement: number;
};

/** The last drawing is kept in the browser: a page that is loaded again shows it at once, and unmoved. */
const memory = 'brokerweb.layout';

function remembered(asked: string): Arranged | null {
  try {
    const kept = JSON.parse(localStorage.getItem(memory) ?? 'null') as { asked: string; arranged: Arranged } | null;
    return kept?.asked === asked ? kept.arranged : null;
  } catch {
    return null;
  }
}

function remember(asked: string, arranged: Arranged): void {
  try {
    localStorage.setItem(memory, JSON.stringify({ asked, arranged }));
  } catch {
    // A full or forbidden store costs the next page a layout, nothing else.
  }
}

/**
 * Lays out one drawing, asked for in several ways, in the way `kept` or, when that is null, in the most compact one.
 * Rejects with the engine's own words when it cannot.
 */
export async function layOut(questions: readonly ElkQuestion[], kept: number | null): Promise<Arranged> {
  const asked = JSON.stringify(questions);
  const known = remembered(asked);
  if (known !== null) {
    return known;
  }
  engine ??= start();
  const running = await engine;
  const tried = kept === null ? questions : questions.slice(kept, kept + 1);
  const answers: ElkNode[] = await Promise.all(tried.map((question) => running.layout(question)));
  const layouts = answers.map(readAnswer);
  const best = mostCompact(layouts);
  const layout = layouts[best];
  if (layout === undefined) {
    throw new Error('There is nothing to lay out.');
  }
  const arranged = { layout, arrangement: kept ?? best };
  remember(asked, arranged);
  return arranged;
}
