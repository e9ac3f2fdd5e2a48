// The layout engine, in a worker of its own and fetched only when the first drawing is asked for.
import type { ELK, ElkNode } from 'elkjs/lib/elk-api';

import type { Keeping } from '@/topology/keeping';
import {
  bestArranged,
  readAnswer,
  withoutCompaction,
  type Arranged,
  type ElkQuestion,
  type Layout,
} from '@/topology/layout';

let engine: Promise<ELK> | undefined;

async function start(): Promise<ELK & { terminateWorker: () => void }> {
  const [{ default: Engine }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ]);
  return new Engine({ workerUrl });
}

/** Has the engine ready before the first drawing is asked for; the one that is then asked for tells what went wrong. */
export function warmUpLayout(): void {
  engine ??= start();
  engine.catch(() => {
    engine = undefined;
  });
}

/** The last drawing is kept in the browser: a page that is loaded again shows it at once, and unmoved. */
const memory = 'brokerweb.layout.2';

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
 * Lays one drawing out in a worker of its own, which ends when `signal` says so; then it rejects with the signal's
 * reason.
 */
export async function arrange(question: ElkQuestion, signal: AbortSignal): Promise<Layout> {
  const running = await start();
  try {
    return await new Promise<Layout>((resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
      running
        .layout(question)
        .catch(async () => running.layout(withoutCompaction(question)))
        .then((answer: ElkNode) => {
          resolve(readAnswer(answer));
        }, reject);
    });
  } finally {
    running.terminateWorker();
  }
}

async function answered(question: ElkQuestion): Promise<Layout> {
  engine ??= start();
  const running = await engine;
  const answer: ElkNode = await running.layout(question);
  return readAnswer(answer);
}

/**
 * Lays out one drawing, asked for in several ways, in the way `kept` or, when that is null, in the most compact one;
 * where that would change the sides of what was drawn before, as `keeping` has it. Rejects with the engine's own words
 * when it cannot.
 */
export async function layOut(
  questions: readonly ElkQuestion[],
  kept: number | null,
  keeping: Keeping | null,
): Promise<Arranged> {
  const asked = JSON.stringify(questions);
  const arranged = remembered(asked) ?? (await bestArranged(questions, kept, answered));
  const { layout, arrangement } =
    keeping === null || keeping.isKept(arranged.layout) ? arranged : await keptTo(keeping, arranged);
  remember(asked, { layout, arrangement });
  return { layout, arrangement };
}

/** The drawing that keeps its sides; when the engine refuses it, the one that does not. */
async function keptTo({ question }: Keeping, arranged: Arranged): Promise<Arranged> {
  try {
    const layout = await answered(question).catch(async () => answered(withoutCompaction(question)));
    return { ...arranged, layout };
  } catch {
    return arranged;
  }
}
