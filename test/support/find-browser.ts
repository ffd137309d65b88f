import { spawnSync } from 'node:child_process';

/** Programs that open pages, the best first: without any interface of its own, a page costs a third of what it does in a whole Chromium. */
export const browserNames = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'];

/** The path of a browser of this machine, or of none. */
export const findBrowser = (): string | undefined =>
  browserNames
    .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout.trim())
    .find((path) => path !== '');
