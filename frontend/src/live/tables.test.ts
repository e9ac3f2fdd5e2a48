import { readdirSync, readFileSync } from 'node:fs';

import { describe, expect, it } from 'vitest';

import { parseFrame } from '@/contracts/guards';
import type { Ops, ServerMessage } from '@/contracts/live-messages';

import { countOf, fold, recordsOf, type Table } from './tables';

const folder = '../tests/brokerweb/live_fixtures';
const read = (name: string): unknown => JSON.parse(readFileSync(`${folder}/${name}`, 'utf8'));

type Story = { start: Table; steps: { ops: Ops; count: number; after: Table }[] };

const stories = readdirSync(folder).filter((name) => name.startsWith('story-'));

describe('the fold', () => {
  it.each(stories)('comes to what Python comes to: %s', (name) => {
    const { start, steps } = read(name) as Story;
    let table = start;
    for (const { ops, count, after } of steps) {
      table = fold(table, ops);
      expect(table).toEqual(after);
      expect(countOf(ops)).toBe(count);
    }
  });

  it('has stories to be held to', () => {
    expect(stories.length).toBeGreaterThan(10);
  });

  it('leaves rows and facts that do not change the same objects', () => {
    const { start } = read('story-00.json') as Story;
    const table = fold(start, { cells: [[0, 1, 99]] });
    expect(table.rows.slice(1).every((row, at) => row === start.rows[at + 1])).toBe(true);
    expect(table.facts).toBe(start.facts);
  });

  it('gives cells under the names of their columns', () => {
    const columns = ['name', 'count'].map((name) => ({ name, type: 'int', nullable: false, is_vendors: true }));
    expect(recordsOf({ columns, keys: ['k'], rows: [['a', 1]], facts: {} })).toEqual([{ name: 'a', count: 1 }]);
  });
});

describe('a frame', () => {
  it('is read whole: every message that the server knows', () => {
    const messages = read('messages.json') as ServerMessage[];
    expect(parseFrame(JSON.stringify(messages))).toEqual(messages);
    expect(new Set(messages.map(({ type }) => type)).size).toBe(9);
  });

  it.each(['', 'null', '{}', '[null]', '[{"type":"later"}]', '[{"type":"snapshot"}]', '[{"type":"toString"}]'])(
    'drops what is none of ours: %s',
    (text) => {
      expect(parseFrame(text)).toEqual([]);
    },
  );
});
