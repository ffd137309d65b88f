import { TroupeError } from '../../contracts/errors/error.ts';
import type { BlameOptions } from '../../testing/blame/blame-options.ts';
import { loadModule } from '../load-agent.ts';
import { printToStderr } from '../terminal/print-to-stderr.ts';
import type { NamedModule } from '../usage/named-module.ts';

/** A check, and the name of the export that it is. */
export interface LoadedCheck {
  readonly fails: BlameOptions['fails'];
  readonly exportName: string;
}

/**
 * Loads the function by which a run fails: the default export of a module, else its only function, or the one that is named.
 *
 * @throws {TroupeError} `command.usage` if the file is missing, cannot be loaded, or exports no such function.
 */
export const loadCheck = async ({ file, exportName }: NamedModule, folder: string): Promise<LoadedCheck> => {
  const exports = await printToStderr(() => loadModule(file, folder));
  const functions = Object.entries(exports).filter((entry): entry is [string, LoadedCheck['fails']] =>
    isCheck(entry[1]),
  );
  const wanted = exportName ?? 'default';
  const named = functions.find(([name]) => name === wanted);
  const [only, another] = functions;
  const found = named ?? (exportName === undefined && another === undefined ? only : undefined);
  if (found !== undefined) return { fails: found[1], exportName: found[0] };
  const names = Object.keys(exports).join(', ') || 'nothing';
  const what =
    exportName === undefined
      ? 'it exports no function, or several'
      : `its export '${exportName}' is no function`;
  throw new TroupeError(
    'command.usage',
    `Cannot load ${file} as ${what}: it exports ${names}; write \`export default ({ output }) => …\`, true for a run that fails`,
  );
};

/** A function: its arguments and its verdict are checked where it is called. */
const isCheck = (value: unknown): value is LoadedCheck['fails'] => typeof value === 'function';
