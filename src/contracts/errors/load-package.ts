import type { ErrorCode } from './error-data.ts';
import { TroupeError } from './error.ts';

/**
 * Passes on that an import failed: bundlers take an import of what is not installed as optional if its failure is caught at once.
 */
export const rethrow = (error: unknown): never => {
  throw error;
};

/**
 * Loads an optional package on first use; if it is missing, the error says which one to install.
 *
 * The import itself stays in the caller, as a literal that bundlers can follow. A failure is not cached: once the
 * package is installed, the next call finds it where the platform looks again.
 *
 * @example
 * const { default: OpenAI } = await loadPackage('openai', () => import('openai').catch(rethrow));
 *
 * @throws `model.package-missing`, or `code`, if the package is not there, or is there and does not load.
 */
export const loadPackage = async <Module>(
  name: string,
  load: () => Promise<Module>,
  code: ErrorCode = 'model.package-missing',
): Promise<Module> => {
  try {
    return await load();
  } catch (error) {
    throw new TroupeError(
      code,
      `Cannot load the package ${name} as it is not installed or does not start: run \`npm install ${name}\``,
      { cause: error },
    );
  }
};
