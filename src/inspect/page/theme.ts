import { signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const KEY = 'troupe-inspect-theme';

const preferredTheme = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** The theme chosen earlier; storage may be unavailable. */
const chosenTheme = (): Theme | undefined => {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : undefined;
  } catch {
    return undefined;
  }
};

export const theme = signal<Theme>(chosenTheme() ?? preferredTheme());

/** Applies the chosen theme, or the system's. */
export const applyTheme = (): void => {
  document.documentElement.dataset['theme'] = theme.value;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (chosenTheme() === undefined) show(preferredTheme());
  });
};

const show = (wanted: Theme): void => {
  theme.value = wanted;
  document.documentElement.dataset['theme'] = wanted;
};

export const turnTheme = (): void => {
  show(theme.value === 'dark' ? 'light' : 'dark');
  try {
    localStorage.setItem(KEY, theme.value);
  } catch {
    // The choice then lasts until the page is closed.
  }
};
