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

type Answered = { layout: Layout; arrangement: number };

/** The last drawing is kept in the browser: a page that is loaded again shows it at once, and unmoved. */
const memory = 'brokerweb.layout';

function remembered(questions: readonly ElkQuestion[]): Answered | null {
  try {
    const kept = JSON.parse(localStorage.getItem(memory) ?? 'null') as { asked: string; answered: Answered } | null;
    return kept?.asked === JSON.stringify(questions) ? kept.answered : null;
  } catch {
    return null;
  }
}

function remember(questions: readonly ElkQuestion[], answered: Answered): void {
  try {
    localStorage.setItem(memory, JSON.stringify({ asked: JSON.stringify(questions), answered }));
  } catch {
    // A full or forbidden store costs the next page a layout, nothing else.
  }
}

/** The most compact answer and which question it answers; rejects with the engine's own words when it cannot answer. */
export async function layOut(questions: readonly ElkQuestion[]): Promise<Answered> {
  const known = remembered(questions);
  if (known !== null) {
    return known;
  }
  engine ??= start();
  const running = await engine;
  const answers: ElkNode[] = await Promise.all(questions.map((question) => running.layout(question)));
  const layouts = answers.map(readAnswer);
  const arrangement = mostCompact(layouts);
  const layout = layouts[arrangement];
  if (layout === undefined) {
    throw new Error('There is nothing to lay out.');
  }
  remember(questions, { layout, arrangement });
  return { layout, arrangement };
}
