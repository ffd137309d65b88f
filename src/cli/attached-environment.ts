import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageFolder } from '../inspect/local/package-folder.ts';
import { STARTER } from '../inspect/local/processes/membership.ts';
import type { InspectorRequest } from './usage/inspector-request.ts';

/** The variable by which processes of the command learn what was asked of the inspector. */
export const ATTACHED = 'TROUPE_INSPECT';

/** The variables by which the runs of a process, and of those that it starts, are on the page of this one: Node loads `attach` first. */
export const attachedEnvironment = (
  { NODE_OPTIONS: before }: Readonly<Record<string, string | undefined>>,
  wish: InspectorRequest,
): Readonly<Record<string, string>> => ({
  NODE_OPTIONS: [
    ...(before === undefined ? [] : [before]),
    `--import=${pathToFileURL(builtModule('attach.js')).href}`,
  ].join(' '),
  [ATTACHED]: JSON.stringify(wish),
  [STARTER]: String(process.pid),
});

/** A module of the built command. Built code has it beside it, wherever the package was built to. */
export const builtModule = (name: string): string => {
  const beside = join(import.meta.dirname, '../cli', name);
  return existsSync(beside) ? beside : join(packageFolder, 'dist/cli', name);
};
