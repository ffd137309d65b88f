import { TroupeError } from '../../contracts/errors/error.ts';
import type { Eval } from '../../testing/evals/define-eval.ts';
import { loadModule } from '../load-agent.ts';
import { printToStderr } from '../terminal/print-to-stderr.ts';
import type { NamedModule } from '../usage/named-module.ts';

/**
 * Loads the evals that a module exports, each once, or the one that is named.
 *
 * @throws {TroupeError} `command.usage` if the file is missing, cannot be loaded, or exports no such eval.
 */
export const loadEvals = async (
  { file, exportName }: NamedModule,
  folder: string,
): Promise<readonly Eval[]> => {
  const exports = await printToStderr(() => loadModule(file, folder));
  const named = exportName === undefined ? Object.values(exports) : [exports[exportName]];
  const found = [...new Set(named.filter(isEval))];
  if (found.length > 0) return found;
  const names = Object.keys(exports).join(', ') || 'nothing';
  const what = exportName === undefined ? 'it exports no eval' : `its export '${exportName}' is no eval`;
  throw new TroupeError(
    'command.usage',
    `Cannot load ${file} as ${what}: it exports ${names}; write \`export default defineEval({ … })\``,
  );
};

/** By its shape: the module may have its own copy of troupe. */
const isEval = (value: unknown): value is Eval =>
  typeof value === 'object' &&
  value !== null &&
  ['run', 'grade', 'compare'].every((name) => typeof Reflect.get(value, name) === 'function') &&
  typeof Reflect.get(value, 'name') === 'string';
