// Turns the tokens into CSS custom properties, once for both schemes and once for each.
import type { CSSVariablesResolver } from '@mantine/core';

import { dark, light, measures, motion, radius, space, type, verdict } from './tokens';

function named(prefix: string, values: Readonly<Record<string, string | number>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [
      `--bw-${prefix}${kebab(name)}`,
      typeof value === 'number' ? `${value}px` : value,
    ]),
  );
}

function kebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {
    ...named('verdict-', verdict),
    ...named('space-', space),
    ...named('size-', type.sizes),
    ...named('motion-', motion),
    ...named('', measures),
    '--bw-radius': `${radius}px`,
    '--bw-text': type.text,
    '--bw-mono': type.mono,
  },
  light: { ...named('', light), '--mantine-color-body': light.page, '--mantine-color-dimmed': light.label },
  dark: { ...named('', dark), '--mantine-color-body': dark.page, '--mantine-color-dimmed': dark.label },
});
