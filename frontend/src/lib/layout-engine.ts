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

/** The most compact answer to the questions; rejects with the engine's own words when it cannot answer one. */
export async function layOut(questions: readonly ElkQuestion[]): Promise<Layout> {
  engine ??= start();
  const running = await engine;
  const answers: ElkNode[] = await Promise.all(questions.map((question) => running.layout(question)));
  const best = mostCompact(answers.map(readAnswer));
  if (best === null) {
    throw new Error('There is nothing to lay out.');
  }
  return best;
}
