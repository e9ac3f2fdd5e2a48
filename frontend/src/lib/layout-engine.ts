// The layout engine, in a worker of its own and fetched only when the first drawing is asked for.
import type { ELK, ElkNode } from 'elkjs/lib/elk-api';

import { readAnswer, type ElkQuestion, type Layout } from '@/topology/layout';

let engine: Promise<ELK> | undefined;

async function start(): Promise<ELK> {
  const [{ default: Engine }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ]);
  return new Engine({ workerUrl });
}

export async function layOut(question: ElkQuestion): Promise<Layout> {
  engine ??= start();
  const answer: ElkNode = await (await engine).layout(question);
  return readAnswer(answer);
}
