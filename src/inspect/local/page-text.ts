import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TroupeError } from '../../contracts/error.ts';
import { packageFolder } from './package-folder.ts';

/** True if this code is run as it was written, and not as it is published. */
const isSource = import.meta.url.endsWith('.ts');

/**
 * The page, as HTML: of the published package the one that was built with it; where the sources are run, it is built when it is wanted.
 *
 * @throws {TroupeError} `inspector.page-missing`
 */
export const pageText = async (folder = packageFolder): Promise<string> => {
  const built = join(folder, 'dist/inspect/page.html');
  const builder = join(folder, 'scripts/page.ts');
  try {
    if (isSource && existsSync(builder)) return await builtBy(builder);
    return await readFile(built, 'utf8');
  } catch (cause) {
    const found = isSource && existsSync(builder) ? 'it could not be built' : `there is no ${built}`;
    const message = `Cannot show the inspector as its page is missing: ${found}`;
    throw new TroupeError('inspector.page-missing', message, { cause });
  }
};

const builtBy = async (builder: string): Promise<string> => {
  const scripts = (await import(pathToFileURL(builder).href)) as { buildPage(): Promise<string> };
  return scripts.buildPage();
};
