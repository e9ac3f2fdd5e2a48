// The theme's colours for charts that are no part of the page's style sheets.
import { dark, light, series, type as letters, verdict } from '@/theme/tokens';

import type { Change } from '../api/types';

export type ChartTheme = {
  value: string;
  label: string;
  border: string;
  surface: string;
  /** From little to much. */
  scale: readonly [string, string, string];
  /** Upon the lower and the upper part of the scale. */
  onScale: readonly [string, string];
  change: Record<Change, string>;
  series: readonly string[];
  font: string;
};

export const changeColours = {
  lost: verdict.lost,
  moved: verdict.forwarded,
  gained: verdict.delivered,
  unchanged: verdict.unknown,
} as const satisfies Record<Change, string>;

/** One hue from the surface to the blue of the verdicts: read by anybody, and in grey too. */
export function chartTheme(scheme: 'light' | 'dark'): ChartTheme {
  const colours = scheme === 'light' ? light : dark;
  return {
    value: colours.value,
    label: colours.label,
    border: colours.border,
    surface: colours.raised,
    scale: scheme === 'light' ? ['#dcebf7', '#6db0dd', '#00568a'] : ['#1f3349', '#2f77a8', '#8ecbf2'],
    onScale: scheme === 'light' ? [colours.value, '#ffffff'] : [colours.value, '#0b1119'],
    change: changeColours,
    series,
    font: letters.text,
  };
}

/** What every chart has. */
export function frame(theme: ChartTheme) {
  return {
    animation: false,
    textStyle: { fontFamily: theme.font, color: theme.value, fontSize: 12 },
    aria: { enabled: false },
    tooltip: {
      confine: true,
      backgroundColor: theme.surface,
      borderColor: theme.border,
      textStyle: { color: theme.value, fontSize: 12 },
    },
  };
}
