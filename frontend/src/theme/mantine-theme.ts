// Mantine dressed in our tokens. Sizes of controls are compact: this is an instrument, not a brochure.
import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from '@mantine/core';

import { radius, scales, space, type } from './tokens';

const tuple = (scale: readonly string[]): MantineColorsTuple => scale as unknown as MantineColorsTuple;

/** Colours of buttons where Mantine's own would not reach 4.5:1 in both schemes. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  const isDanger = input.color === 'red';
  if (input.variant === 'filled') {
    return isDanger
      ? { ...colors, background: 'var(--bw-verdict-error)', hover: 'var(--bw-verdict-error)', color: '#fff' }
      : { ...colors, color: 'var(--bw-on-accent)' };
  }
  return isDanger && input.variant === 'outline'
    ? { ...colors, color: 'var(--bw-danger-text)', border: '1px solid var(--bw-danger-text)' }
    : colors;
};

/** What lies over a page is raised above its panels, and says at its head what it is. */
const overlay = {
  content: { background: 'var(--bw-raised)' },
  header: { background: 'var(--bw-raised)' },
  title: { fontSize: '16px', fontWeight: 600, overflowWrap: 'anywhere' },
} as const;

export const mantineTheme = createTheme({
  primaryColor: 'accent',
  // 700 on light, 400 on dark: the nearest steps to the accent on which a button's text reads at 4.5:1 or better.
  primaryShade: { light: 7, dark: 4 },
  variantColorResolver,
  colors: {
    accent: tuple(scales.teal),
    gray: tuple(scales.slate),
    dark: tuple(scales.night),
    red: tuple(scales.crimson),
  },
  fontFamily: type.text,
  fontFamilyMonospace: type.mono,
  fontSizes: { xs: '12px', sm: '13px', md: '14px', lg: '16px', xl: '20px' },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '3px', sm: '4px', md: `${radius}px`, lg: '8px', xl: '12px' },
  defaultRadius: 'md',
  headings: { fontFamily: type.text, fontWeight: '600' },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'xs' } },
    TextInput: { defaultProps: { size: 'sm' } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, events: { hover: true, focus: true, touch: true } } },
    InputWrapper: {
      styles: { description: { fontSize: 'var(--bw-size-small)' }, error: { fontSize: 'var(--bw-size-small)' } },
    },
    Select: { defaultProps: { checkIconPosition: 'right', comboboxProps: { shadow: 'md' } } },
    Modal: {
      defaultProps: { centered: true, padding: space.group, closeButtonProps: { 'aria-label': 'Close' } },
      styles: overlay,
    },
    Drawer: { defaultProps: { padding: space.group }, styles: overlay },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Close this notice' } } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray' } },
  },
});
