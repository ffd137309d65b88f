import { pathDenied } from '../../environments/clean-path.ts';

/** The name of git's own folder, also as file systems spell it that ignore case, or have short names. */
const OWN_NAME = /^(?:\.git|git~\d+)[. ]*$/i;

/** Checks whether a path leads into what git keeps of a repository: its configuration may start programs, its links lead anywhere. */
export const isInRepository = (names: readonly string[]): boolean =>
  names.some((name) => OWN_NAME.test(name));

/**
 * Refuses to change what git keeps of a repository: git alone does.
 *
 * @throws {TroupeError} `tool.denied`
 */
export const assertNotRepository = (path: string, names: readonly string[]): void => {
  if (isInRepository(names)) throw pathDenied(path, 'it belongs to git, which alone may change it');
};
