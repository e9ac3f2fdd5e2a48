// What a send form asks for as the bodies that are sent.

export const bodiesMax = 1000;
/** Bodies of one request: small enough to show progress, large enough to be quick. */
export const batchSize = 50;

/** `count` bodies; `{n}` in the template counts from 1. */
export function expandBodies(template: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => template.replaceAll('{n}', String(index + 1)));
}

export function batchesOf(bodies: readonly string[]): string[][] {
  const batches: string[][] = [];
  for (let start = 0; start < bodies.length; start += batchSize) {
    batches.push(bodies.slice(start, start + batchSize));
  }
  return batches;
}
