import { describe, expect, it } from 'vitest';

import { analyticsRun } from '@/testing/runs';

import { cellText, columnTitle } from './columns';
import { drillOf, drillParameters, drillPlace } from './drill';
import { chartTheme } from './options/theme';
import { barsOption, isFarApart } from './options/bars';
import { comparedRows, differenceText, type Part } from './options/compare';
import { heatOf, heatOption } from './options/heat';
import { hoursOf, wayFilters, wayOf } from './options/hours';
import { stepsOf } from './options/map';
import { records } from './options/records';
import { linksOf, sankeyOption, streamsOfChanges, streamsOfWays } from './options/sankey';
import { restOf, sumsOf } from './options/sums';
import { auditOf } from './options/verdicts';
import { changeCounts, databaseHeat } from './options/what-if';
import { isInOrder, rangeOf, typedInstant } from './ranges';
import { comparedText, estimateText, lineageText, percentOf, shownState, stageText } from './runs';

const theme = chartTheme('light');

describe('a run in words', () => {
  it('says when, from how much and of which revisions it was computed', () => {
    expect(lineageText(analyticsRun())).toBe(
      'Computed 26 Nov 2026, 09:14:00 UTC from 2.1M events, revisions 118 to 121, engine 1.2.3.',
    );
    expect(lineageText(analyticsRun({ job: 'whatif', rows_in: [{ name: 'conversations', rows: 950 }] }))).toBe(
      'Computed 26 Nov 2026, 09:14:00 UTC from 950 conversations, revisions 118 and 121, engine 1.2.3.',
    );
  });

  it('leaves out what is not known, and calls a draft a draft', () => {
    expect(lineageText(analyticsRun({ revisions: [], engine_version: null, rows_in: [] }))).toBe(
      'Computed 26 Nov 2026, 09:14:00 UTC.',
    );
    const draft = analyticsRun({ job: 'whatif', change_set: 7 });
    expect(lineageText(draft)).toContain('revision 118 and draft #7');
    expect(comparedText(draft)).toBe('Revision 118 → draft #7');
  });

  it('tells a lost worker from a failure', () => {
    expect(shownState({ state: 'failed', problem: { code: 'job-lost' } })).toBe('lost');
    expect(shownState({ state: 'failed', problem: { code: 39019 } })).toBe('failed');
    expect(shownState({ state: 'done', problem: null })).toBe('done');
  });

  it.each([
    ['', 'Starting'],
    ['reading', 'Reading'],
    ['ingest/distinct flows', 'Finding the distinct flows'],
    ['distinct flows', 'Finding the distinct flows'],
    ['by_route', 'Writing table by_route'],
  ])('words stage "%s"', (stage, words) => {
    expect(stageText(stage)).toBe(words);
  });

  it('knows no share of a total that nobody knows', () => {
    expect(percentOf({ done: 3, total: 0 })).toBeNull();
    expect(percentOf({ done: 3, total: 4 })).toBe(75);
  });

  it('estimates by the runs before, and says so when there is none', () => {
    const read = { events: 2_100_000, bytes: 1, files: 1 };
    const judge = { events: 1_950_000, seconds: 38.9 };
    expect(estimateText({ ...read, seconds: 40.2, judged_by: judge })).toBe(
      'About 40 s for 2.1M events, judged by the most similar of the last runs of this question here: 1,950,000 events in 39 s.',
    );
    expect(estimateText({ ...read, seconds: null, judged_by: null })).toBe(
      '2.1M events. How long it takes, the first run shows.',
    );
    expect(estimateText({ ...read, events: 1, seconds: null, judged_by: null })).toBe(
      '1 event. How long it takes, the first run shows.',
    );
    expect(estimateText({ ...read, events: 0, seconds: 1, judged_by: judge })).toBe('No events in this span.');
  });
});

describe('a span', () => {
  const none = { since: null, until: null };

  it('is counted back from the newest event of the lake, to its end', () => {
    expect(rangeOf('hour', '2026-11-26T09:00:00.250Z', none)).toEqual({ since: '2026-11-26T08:00:00Z', until: null });
    expect(rangeOf('week', null, none)).toEqual(none);
    expect(rangeOf('all', '2026-11-26T09:00:00Z', none)).toEqual(none);
  });

  it('is typed in UTC, and ends after it begins', () => {
    expect(typedInstant('2026-11-26T09:00')).toBe('2026-11-26T09:00:00Z');
    expect(typedInstant('')).toBeNull();
    const since = '2026-11-26T09:00:00Z';
    expect(isInOrder({ since, until: since })).toBe(false);
    expect(isInOrder({ since, until: '2026-11-26T09:00:01Z' })).toBe(true);
  });
});

describe('a drill', () => {
  it('goes into the address and comes back', () => {
    const drill = { change: 'lost', instance: 'PARIS', to_service: '//a b' } as const;
    const set = Object.entries(drillParameters(drill)).filter((each): each is [string, string] => each[1] !== null);
    expect(drillOf(new URLSearchParams(set))).toEqual(drill);
    expect(drillPlace(drill)).toBe('PARIS · //a b');
  });

  it('is none without a change that there is, and takes all of it away', () => {
    expect(drillOf(new URLSearchParams('change=odd&on=PARIS'))).toBeNull();
    expect(drillOf(new URLSearchParams('on=PARIS'))).toBeNull();
    expect(Object.values(drillParameters(null)).every((value) => value === null)).toBe(true);
  });
});

describe('cells', () => {
  it('are words, grouped numbers, times with their zone, and lists', () => {
    expect(cellText({ name: 'messages', type: 'integer' }, 2_100_000)).toBe('2,100,000');
    expect(cellText({ name: 'number', type: 'integer' }, 11218)).toBe('11218');
    expect(cellText({ name: 'share', type: 'number' }, 0.12345)).toBe('12.3%');
    expect(cellText({ name: 'sent_at', type: 'time' }, '2026-11-26T09:00:00.5Z')).toBe('26 Nov 2026, 09:00:00.500 UTC');
    expect(cellText({ name: 'is_exact', type: 'boolean' }, false)).toBe('no');
    expect(cellText({ name: 'verdicts', type: 'list' }, ['lost', 'held'])).toBe('Lost, Held');
    expect(cellText({ name: 'path', type: 'list' }, [{ instance: 'A', database: 'd', route: null }])).toBe('A · d');
    expect(cellText({ name: 'route', type: 'text' }, null)).toBe('');
  });

  it('stand under a title, which for a new column is its own name', () => {
    expect(columnTitle('latency_p95')).toBe('Latency p95 (ms)');
    expect(columnTitle('brand_new')).toBe('brand new');
  });
});

const hourly = records({
  columns: ['hour_at', 'messages', 'latency_p50'].map((name) => ({ name, type: 'text' })),
  rows: [
    ['2026-11-26T10:00:00Z', 7, null],
    ['2026-11-26T08:00:00Z', 5, 10],
  ],
});

describe('hours', () => {
  it('are in order, also where nothing was sent', () => {
    const { at, messages, latency } = hoursOf(hourly);
    expect(at.map((each) => new Date(each * 1000).getUTCHours())).toEqual([8, 9, 10]);
    expect(messages).toEqual([5, 0, 7]);
    expect(latency.p50).toEqual([10, null, null]);
    expect(latency.p99).toEqual([null, null, null]);
  });

  it('are of a way, which is of one instance: databases of two may have the same name', () => {
    const way = { from_instance: 'PARIS', from_database: 'd', route: null, to_service: 's', messages: 5 };
    expect(wayOf(way)).toBe('PARIS · d · – · s');
    expect(wayFilters(way)).toEqual([
      { column: 'from_instance', value: 'PARIS' },
      { column: 'from_database', value: 'd' },
      { column: 'route', value: '' },
      { column: 'to_service', value: 's' },
    ]);
    expect(wayOf({ from_database: 'd', route: 'r', to_service: 's' })).toBe('d · r · s');
  });
});

it('what is not drawn is said with its figure', () => {
  const sums = sumsOf({
    columns: [
      { name: 'instance', type: 'text' },
      { name: 'conversations', type: 'integer' },
    ],
    rows: [['PARIS', 40]],
    total_groups: 9_901,
    sums: [3_200_000],
    others: [3_199_960],
  });
  expect(sums.rows).toEqual([{ instance: 'PARIS', conversations: 40 }]);
  expect(restOf(sums, { groups: 1, figure: 40 })).toEqual({ groups: 9_900, figure: 3_199_960 });
});

describe('bars', () => {
  it('are logarithmic where counts are far apart, so that three of a million are seen', () => {
    const bars = [
      { name: 'a', figures: [3] },
      { name: 'b', figures: [1_000_000] },
      { name: 'c', figures: [0] },
    ];
    expect(isFarApart(bars)).toBe(true);
    const drawn = (those: typeof bars) =>
      (barsOption(those, ['n'], theme).series as { data: { value: number; label: { formatter: string } }[] }[])[0]
        ?.data;
    expect(drawn(bars)?.map(({ label }) => label.formatter)).toEqual(['3', '1,000,000', '0']);
    expect(drawn(bars)?.[0]?.value).toBeGreaterThan(0.5);
    expect(drawn(bars)?.[1]?.value).toBeLessThan(7);
    expect(drawn(bars)?.[2]?.value).toBe(0);
    expect(drawn(bars.slice(0, 1))?.[0]?.value).toBe(3);
  });

  it('word a figure with its unit, in the letters of the language', () => {
    const drawn = barsOption([{ name: 'a', figures: [3, 0] }], ['Konversationen', 'Flüsse'], theme, [
      (count) => `${count} Konversationen`,
      (count) => `${count} Flüsse`,
    ]);
    expect(drawn).toMatchObject({
      series: [
        { data: [{ label: { formatter: '3 Konversationen' } }] },
        { data: [{ label: { formatter: '0 Flüsse' } }] },
      ],
    });
  });
});

describe('a field', () => {
  const cells = [
    { down: 'PARIS', across: 'x', figure: 0.1 },
    { down: 'LYON', across: 'y', figure: 0.7 },
    { down: 'LYON', across: 'x', figure: 0.2 },
  ];

  it('has the largest first, and each figure in its square', () => {
    const heat = heatOf(cells);
    expect(heat.down).toEqual(['LYON', 'PARIS']);
    expect(heat.across).toEqual(['y', 'x']);
    expect(heatOption(heat, String, theme)).toMatchObject({
      series: [
        { data: [{ value: [1, 1, 0.1] }, { value: [0, 0, 0.7], label: { formatter: '0.7' } }, { value: [1, 0, 0.2] }] },
      ],
    });
  });

  it('writes names as text into its tips', () => {
    const heat = heatOf([{ down: '<b>', across: '&', figure: 1 }]);
    const { tooltip } = heatOption(heat, String, theme) as { tooltip: { formatter: (at: unknown) => string } };
    expect(tooltip.formatter({ dataIndex: 0 })).toBe('&#60;b&#62; → &#38;<br>1');
  });
});

describe('streams', () => {
  const rows = [
    { way: 'A > B > A', messages: 5 },
    { way: 'A > B', messages: 2 },
    { way: 'A', messages: 90 },
  ];

  it('go from step to step without circles; what stays is no stream', () => {
    const links = linksOf(streamsOfWays(rows));
    expect(links.links).toEqual([
      { source: '0 A', target: '1 B', value: 7 },
      { source: '1 B', target: '2 A', value: 5 },
    ]);
    expect(sankeyOption(links, (name) => name, theme)).toMatchObject({
      series: [{ data: [{ name: '0 A' }, { name: '1 B' }, { name: '2 A', label: { position: 'left' } }] }],
    });
  });

  it('lead from a sender by what becomes of it to a service; what stays as it is is none', () => {
    const changed = [
      { instance: 'A', change: 'lost', to_service: 's', conversations: 3 },
      { instance: 'A', change: 'lost', to_service: 's', conversations: 4 },
      { instance: 'A', change: 'unchanged', to_service: 's', conversations: 99 },
    ];
    expect(streamsOfChanges(changed)).toEqual([{ steps: ['A', 'lost', 's'], figure: 7 }]);
  });
});

describe('a what-if', () => {
  const rows = [
    { change: 'lost', instance: 'A', database: 'd', conversations: 3, flows: 1 },
    { change: 'lost', instance: 'B', database: 'd', conversations: 4, flows: 2 },
    { change: 'unchanged', instance: 'B', database: 'd', conversations: 9, flows: 5 },
  ];

  it('counts every class, also those that are empty', () => {
    expect(changeCounts(rows)).toEqual([
      { change: 'lost', conversations: 7, flows: 3 },
      { change: 'moved', conversations: 0, flows: 0 },
      { change: 'gained', conversations: 0, flows: 0 },
      { change: 'unchanged', conversations: 9, flows: 5 },
    ]);
  });

  it('leads from a square back to its database', () => {
    const heat = databaseHeat(rows);
    expect(heat.cells).toEqual([
      { across: 'lost', down: 'A · d', figure: 3 },
      { across: 'lost', down: 'B · d', figure: 4 },
    ]);
    expect(heat.places.get('B · d')).toEqual({ instance: 'B', database: 'd' });
  });

  it('tells the map where conversations begin', () => {
    expect(stepsOf([{ instance: 'A', from_instance: null, change: 'lost', conversations: 3 }])).toEqual([
      { instance: 'A', from_instance: null, change: 'lost', conversations: 3 },
    ]);
  });
});

it('the audit counts as broken what is not exactly once in order, and nothing else', () => {
  const audit = auditOf([
    { sent: 10, directions: 2, lost: 1, reordered: 2, held: 5, unseen: 1 },
    { sent: 5, directions: 1, doubled: 1 },
  ]);
  expect([audit.sent, audit.directions, audit.broken, audit.counts.held]).toEqual([15, 3, 4, 5]);
});

describe('two runs', () => {
  const before = { rows: [{ s: 'a', n: 4 }], total: 1 };
  const rows = [
    { s: 'a', n: 5 },
    { s: 'b', n: 1 },
  ];
  const told = (after: Part, was: Part = before) =>
    comparedRows({ before: was, after }, ['s'], ['n']).map(({ names, figures }) => [names, figures]);

  it('are compared row by row, also where only one has the row', () => {
    expect(told({ rows, total: 2 })).toEqual([
      [['a'], [{ was: 4, is: 5 }]],
      [['b'], [{ was: null, is: 1 }]],
    ]);
    expect(differenceText(4, 5)).toBe('+25%');
    expect(differenceText(0, 5)).toBe('');
  });

  it('of which one was not read whole are not said to lack a row', () => {
    expect(told({ rows, total: 2 }, { ...before, total: 9 })).toEqual([[['a'], [{ was: 4, is: 5 }]]]);
  });
});
