import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TroupeError } from '../../contracts/errors/error.ts';
import { packageFolder } from './package-folder.ts';

/** True if this code runs from source, and not as published. */
const isSource = import.meta.url.endsWith('.ts');

/**
 * Returns the page, as HTML: the prebuilt one of the published package; when running from source, it is built on
 * demand.
 *
 * @throws {TroupeError} `inspector.page-missing`
 */
export const pageText = async (folder = packageFolder): Promise<string> => {
  // Built code knows its page beside it, wherever the package was built to.
  const beside = join(import.meta.dirname, '../inspect/page.html');
  const built = !isSource && existsSync(beside) ? beside : join(folder, 'dist/inspect/page.html');
  const builder = join(folder, 'scripts/page.ts');
  try {
    if (isSource && existsSync(builder)) return await buildPageBy(builder);
    return await readFile(built, 'utf8');
  } catch (cause) {
    const found = isSource && existsSync(builder) ? 'it could not be built' : `there is no ${built}`;
    const message = `Cannot show the inspector as its page is missing: ${found}. Build the package, or install esbuild beside it`;
    throw new TroupeError('inspector.page-missing', message, { cause });
  }
};

const buildPageBy = async (builder: string): Promise<string> => {
  const scripts = (await import(pathToFileURL(builder).href)) as { buildPage(): Promise<string> };
  return scripts.buildPage();
};
