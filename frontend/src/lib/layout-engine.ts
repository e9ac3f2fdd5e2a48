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

/** The most compact answer and which question it answers; rejects with the engine's own words when it cannot answer. */
export async function layOut(questions: readonly ElkQuestion[]): Promise<{ layout: Layout; arrangement: number }> {
  engine ??= start();
  const running = await engine;
  const answers: ElkNode[] = await Promise.all(questions.map((question) => running.layout(question)));
  const layouts = answers.map(readAnswer);
  const arrangement = mostCompact(layouts);
  const layout = layouts[arrangement];
  if (layout === undefined) {
    throw new Error('There is nothing to lay out.');
  }
  return { layout, arrangement };
}
