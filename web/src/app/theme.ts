// The components of Mantine in our colours and sizes: tokens.css has the values, this file only says which of Mantine's variables takes
// which.
import {
  createTheme,
  defaultVariantColorsResolver,
  type ButtonProps,
  type CSSVariablesResolver,
  type MantineColorsTuple,
  type MantineTheme,
  type VariantColorsResolver,
} from '@mantine/core';

const ACCENT: MantineColorsTuple = [
  '#e8f1f5',
  '#cfe3eb',
  '#a3cbd9',
  '#75b2c8',
  '#4d9cb8',
  '#2b85a5',
  '#176f90',
  '#0b5c7a',
  '#084a63',
  '#05384c',
];

/** A danger is red, everything else has the accent. */
const variantColorResolver: VariantColorsResolver = (input) => {
  const found = defaultVariantColorsResolver(input);
  const ink = input.color === 'red' ? 'var(--state-failed)' : 'var(--accent)';
  switch (input.variant) {
    case 'filled':
      return {
        ...found,
        background: ink,
        hover: `color-mix(in srgb, ${ink} 88%, var(--text))`,
        color: 'var(--on-accent)',
        border: 'none',
      };
    case 'default':
      return {
        background: 'var(--page)',
        hover: 'var(--panel)',
        color: input.color === 'red' ? ink : 'var(--text)',
        border: '1px solid var(--line)',
      };
    case 'subtle':
      return { background: 'transparent', hover: 'var(--accent-wash)', color: ink, border: 'none' };
    default:
      return found;
  }
};

export const theme = createTheme({
  fontFamily: 'var(--font)',
  fontFamilyMonospace: 'var(--font-mono)',
  primaryColor: 'accent',
  primaryShade: { light: 7, dark: 3 },
  colors: { accent: ACCENT },
  defaultRadius: 'var(--radius)',
  cursorType: 'pointer',
  respectReducedMotion: true,
  variantColorResolver,
  fontSizes: {
    xs: 'var(--size-meta)',
    sm: 'var(--size-body)',
    md: 'var(--size-body)',
    lg: 'var(--size-lead)',
    xl: 'var(--size-page)',
  },
  components: {
    Button: {
      defaultProps: { variant: 'default', size: 'sm' },
      styles: (_theme: MantineTheme, { variant }: ButtonProps) => ({
        root: { fontWeight: variant === 'filled' ? 600 : 400 },
      }),
    },
    InputWrapper: { styles: { label: { fontWeight: 400, marginBottom: 4 } } },
    ActionIcon: { defaultProps: { variant: 'subtle' } },
    Tooltip: { defaultProps: { openDelay: 300, transitionProps: { duration: 100 } } },
    Modal: { defaultProps: { transitionProps: { duration: 100 } } },
    Menu: { defaultProps: { transitionProps: { duration: 100 } } },
    Popover: { defaultProps: { transitionProps: { duration: 100 } } },
  },
});

const SHARED = {
  '--mantine-color-body': 'var(--page)',
  '--mantine-color-text': 'var(--text)',
  '--mantine-color-dimmed': 'var(--quiet)',
  '--mantine-color-placeholder': 'var(--quiet)',
  '--mantine-color-anchor': 'var(--accent)',
  '--mantine-color-default': 'var(--page)',
  '--mantine-color-default-hover': 'var(--panel)',
  '--mantine-color-default-color': 'var(--text)',
  '--mantine-color-default-border': 'var(--line)',
  '--mantine-color-error': 'var(--state-failed)',
  '--mantine-primary-color-filled': 'var(--accent)',
  '--mantine-primary-color-filled-hover': 'var(--accent-strong)',
  '--mantine-primary-color-light': 'var(--accent-wash)',
  '--mantine-primary-color-light-color': 'var(--accent)',
  '--mantine-primary-color-contrast': 'var(--on-accent)',
};

export const cssVariablesResolver: CSSVariablesResolver = () => ({
  variables: {},
  light: SHARED,
  dark: SHARED,
});
