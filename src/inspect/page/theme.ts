import { signal } from '@preact/signals';

export type Theme = 'light' | 'dark';

const KEY = 'troupe-inspect-theme';

const preferred = (): Theme => (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');

/** What was chosen here before; a browser may keep nothing. */
const chosen = (): Theme | undefined => {
  try {
    const kept = localStorage.getItem(KEY);
    return kept === 'light' || kept === 'dark' ? kept : undefined;
  } catch {
    return undefined;
  }
};

export const theme = signal<Theme>(chosen() ?? preferred());

/** Lets the page look as was chosen, or as the system does. */
export const applyTheme = (): void => {
  document.documentElement.dataset['theme'] = theme.value;
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    if (chosen() === undefined) show(preferred());
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
    // Then it holds for as long as the page is open.
  }
};
