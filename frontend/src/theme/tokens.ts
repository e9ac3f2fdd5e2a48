// The one place of colours, space and type. `css-variables.ts` hands them to the page as custom properties (`--bw-…`);
// style sheets and components use those and nothing else. Ratios were computed against the surface they stand on.

type Scheme = {
  /** Surfaces, three steps apart: the page, panels on it, what is raised above panels. */
  page: string;
  panel: string;
  raised: string;
  /** A surface under the pointer, and one that is chosen. */
  hover: string;
  chosen: string;
  border: string;
  borderStrong: string;
  /** Values: at least 7:1. Labels: at least 4.5:1. Faint: decoration only, never the sole carrier of meaning. */
  value: string;
  label: string;
  faint: string;
  /** Actions, focus, selection; nothing else wears it. */
  accent: string;
  accentText: string;
  /** The mark of a sandbox: its chip and stripe, words upon that, and the surface of its bar. Nothing else wears it. */
  scenario: string;
  onScenario: string;
  scenarioSurface: string;
  /** Text upon the accent; and words about what cannot be taken back. */
  onAccent: string;
  dangerText: string;
  /** Lines of routes on the canvas. */
  wire: string;
  wireFaint: string;
  gate: string;
  /** Shadow of overlays, the only elevation. */
  shadow: string;
  /** What a verdict's soft background is mixed with. */
  tint: string;
  /** Words of T-SQL where it is written, upon `raised`: at least 7:1. */
  codeKeyword: string;
  codeString: string;
  codeNumber: string;
};

export const light: Scheme = {
  page: '#e9eef4',
  panel: '#f6f8fb',
  raised: '#ffffff',
  hover: '#eef3f8',
  chosen: '#e3f4f2',
  border: '#d3dce6',
  borderStrong: '#a9b7c6',
  value: '#0f1b2d',
  label: '#4a5a6e',
  faint: '#8494a7',
  accent: '#0d9488',
  accentText: '#0f766e',
  scenario: '#4a3fb0',
  onScenario: '#ffffff',
  scenarioSurface: '#eeedfb',
  onAccent: '#ffffff',
  dangerText: '#b3123f',
  wire: '#51647b',
  wireFaint: '#9fafc0',
  gate: '#eef2f7',
  shadow: '0 8px 28px rgb(15 27 45 / 16%)',
  tint: '#ffffff',
  codeKeyword: '#25407f',
  codeString: '#7c3410',
  codeNumber: '#5b2a86',
};

export const dark: Scheme = {
  page: '#0b1119',
  panel: '#121a25',
  raised: '#1a2432',
  hover: '#212d3d',
  chosen: '#12343a',
  border: '#29364a',
  borderStrong: '#4b5d75',
  value: '#e9eff7',
  label: '#a3b2c5',
  faint: '#74859b',
  accent: '#2dd4bf',
  accentText: '#2dd4bf',
  scenario: '#b9b2ff',
  onScenario: '#17123f',
  scenarioSurface: '#1b1a38',
  onAccent: '#04211d',
  dangerText: '#f3a5bb',
  wire: '#93a6bd',
  wireFaint: '#4b5d75',
  gate: '#151f2c',
  shadow: '0 8px 28px rgb(0 0 0 / 55%)',
  tint: '#121a25',
  codeKeyword: '#9dc0f5',
  codeString: '#f0b894',
  codeNumber: '#d3b3ee',
};

/** Verdicts: told apart by people with any colour vision, and never shown without their icon and word. */
export const verdict = {
  delivered: '#009e73',
  forwarded: '#0072b2',
  delayed: '#e69f00',
  lost: '#d55e00',
  error: '#b3123f',
  unknown: '#8494a7',
  mirror: '#8e5bbf',
} as const;

export type Verdict = keyof typeof verdict;

/**
 * Lines of charts, in this order: told apart by people with any colour vision, on light and on dark. They mean nothing
 * else.
 */
export const series = ['#0072b2', '#e69f00', '#009e73', '#cc79a7', '#56b4e9', '#d55e00', '#8e5bbf', '#8494a7'] as const;

/** 4-pixel grid. */
export const space = { half: 4, control: 8, row: 12, group: 16, page: 24 } as const;

export const radius = 6;

export const type = {
  text: '"Inter Variable", system-ui, sans-serif',
  mono: '"JetBrains Mono Variable", ui-monospace, monospace',
  /** Pixels: small print, tables, everything else, panel titles, page titles. */
  sizes: { small: 12, table: 13, base: 14, title: 20, page: 28 },
} as const;

export const motion = { quick: '120ms', calm: '180ms' } as const;

/** Heights and widths that several files must agree on, in pixels. */
export const measures = {
  header: 52,
  navigation: 96,
  inspector: 400,
  row: 28,
  rowRoomy: 36,
} as const;

/** Mantine wants ten steps a colour. */
export const scales = {
  teal: ['#f0fdfa', '#ccfbf1', '#99f6e4', '#5eead4', '#2dd4bf', '#14b8a6', '#0d9488', '#0f766e', '#115e59', '#134e4a'],
  slate: ['#f8fafc', '#f1f5f9', '#e2e8f0', '#cbd5e1', '#94a3b8', '#64748b', '#4a5a6e', '#334155', '#1e293b', '#0f1b2d'],
  night: ['#e9eff7', '#c5d0dd', '#a3b2c5', '#74859b', '#4b5d75', '#29364a', '#1a2432', '#121a25', '#0b1119', '#070b11'],
  crimson: [
    '#fdecf1',
    '#fad3de',
    '#f3a5bb',
    '#ec7596',
    '#e64d77',
    '#da2d5d',
    '#b3123f',
    '#980f36',
    '#7c0c2c',
    '#5f0922',
  ],
} as const;
