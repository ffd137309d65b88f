import type { CommandName } from './command-shapes.ts';
import { wrong } from './wrong-usage.ts';

/** A module, and the name of the export; undefined for its default or only one. */
export interface NamedModule {
  readonly file: string;
  readonly exportName: string | undefined;
}

/** An export after the file: only after a module's extension, as file names may contain `#`. */
const FILE_AND_EXPORT = /^(.*\.[cm]?[jt]sx?)#(.+)$/s;

/**
 * Reads `FILE#NAME`, which is the same as `FILE` with `--export NAME`.
 *
 * @throws {TroupeError} `command.usage` where both name an export, and not the same.
 */
export const namedModule = (given: string, option: string | undefined, about: CommandName): NamedModule => {
  const [, file, exportName] = FILE_AND_EXPORT.exec(given) ?? [];
  if (file === undefined || exportName === undefined) return { file: given, exportName: option };
  if (option !== undefined && option !== exportName)
    throw wrong(`two exports are named: '${exportName}' after the file, and '${option}' by --export`, about);
  return { file, exportName };
};
