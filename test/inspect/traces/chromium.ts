import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

/** A browser, where one is installed. */
export const chromium = NAMES.flatMap((name) =>
  (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)),
).find((file) => existsSync(file));

/** A page as a browser has it once its script has run: `file` with what stands behind the `#` of its address. */
export const pageOf = (file: string, hash: string, profile: string): string => {
  const { stdout, stderr } = spawnSync(
    chromium ?? '',
    [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      `--user-data-dir=${profile}`,
      '--virtual-time-budget=5000',
      '--enable-logging=stderr',
      '--dump-dom',
      `${pathToFileURL(file).href}${hash}`,
    ],
    { encoding: 'utf8', timeout: 40_000, maxBuffer: 64 * 1024 * 1024 },
  );
  return `${stdout}\n${stderr
    .split('\n')
    .filter((line) => line.includes('CONSOLE'))
    .join('\n')}`;
};
