import { join, resolve } from 'node:path';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Environment } from '../../models/environment.ts';

/** The location of stored runs. */
export type StorePlace =
  | { readonly kind: 'none' | 'memory' }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'sqlite'; readonly file: string };

/** Inputs that determine the location of stored runs. */
export interface StoreWish {
  /** Of the command line. */
  readonly given: string | undefined;
  /** The option that it was given by. Default `--store`. */
  readonly option?: string | undefined;
  readonly environment: Environment;
  /** The folder that paths are relative to. */
  readonly folder: string;
  readonly platform: NodeJS.Platform;
}

/**
 * Resolves the location of stored runs: from the command line, else `TROUPE_STORE`, else a file in the user's data
 * folder. Undefined if none is named and the user has no such folder. Pure.
 */
export const storePlace = ({
  given,
  option = '--store',
  environment,
  folder,
  platform,
}: StoreWish): StorePlace | undefined => {
  const named = given ?? environment['TROUPE_STORE'];
  if (named === undefined || (given === undefined && named.trim() === '')) {
    const home = dataFolder(environment, platform);
    return home === undefined ? undefined : { kind: 'sqlite', file: join(home, 'runs.db') };
  }
  if (named.trim() === '')
    throw new TroupeError(
      'command.usage',
      `Cannot follow the command line as ${option} names no store: '${named}'. Give ${STORES}`,
    );
  if (named === 'none' || named === 'memory') return { kind: named };
  if (/^postgres(?:ql)?:\/\//.test(named)) return { kind: 'postgres', url: named };
  // As stores call themselves.
  const file = named.replace(/^sqlite:(?:\/\/(?=\/))?/, '');
  if (/^[a-z][a-z\d+.-]*:\/\//i.test(file))
    throw new TroupeError(
      'command.usage',
      `Cannot use a store as ${given === undefined ? 'TROUPE_STORE' : option} names a kind that is unknown: '${withoutAccess(named)}'. Give ${STORES}`,
    );
  return { kind: 'sqlite', file: resolve(folder, file) };
};

const STORES = 'a FILE (SQLite), postgres://…, memory or none';

/** An address without a name or a password in it. */
const withoutAccess = (address: string): string => address.replace(/\/\/[^/]*@/, '//…@');

/** Returns the user's folder for application data. */
const dataFolder = (environment: Environment, platform: NodeJS.Platform): string | undefined => {
  const within = (name: string, ...rest: readonly string[]): string | undefined => {
    const folder = environment[name]?.trim() ?? '';
    return folder === '' ? undefined : join(folder, ...rest, 'troupe');
  };
  if (platform === 'win32') return within('LOCALAPPDATA');
  const home = platform === 'darwin' ? ['Library', 'Application Support'] : ['.local', 'share'];
  return within('XDG_DATA_HOME') ?? within('HOME', ...home);
};
