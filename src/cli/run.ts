import { resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { RunCommand } from './usage/commands.ts';
import { assertKey } from '../models/assert-key.ts';
import { loadAgent } from './load-agent.ts';
import type { Session } from './session.ts';
import { modelOf } from './session.ts';
import { begin } from './stored/begin.ts';
import { explainOwnBudget } from './words/unpriced.ts';
import { nameOption } from './usage/name-option.ts';
import { oneLine } from '../base/text/printable.ts';

/** `troupe run`: runs the agent or team that a module exports. */
export const run = async (wanted: RunCommand, session: Session): Promise<number> => {
  const { terminal, settings } = session;
  // Its agents use their own models, unless another one is requested.
  const model = settings.model === undefined ? undefined : modelOf(session);
  if (model !== undefined) assertKey(model, terminal.environment);
  const { file, exportName, isParked } = wanted;
  const agent = await loadAgent(file, terminal.folder, exportName);
  const given = wanted.input ?? (await standardInput(session));
  const record = {
    v: 1,
    command: 'run',
    file: resolve(terminal.folder, file),
    exportName,
    model: settings.model,
  } as const;
  return begin(agent, wanted.isData ? dataIn(given) : given, {
    explain: explainInput(wanted.isData),
    session,
    model,
    record,
    isParked,
    trace: wanted.trace,
    inspect: wanted.inspect,
  });
};

const standardInput = async ({ terminal }: Session): Promise<string> => {
  const given = terminal.stdin.isTTY === true ? '' : (await text(terminal.stdin)).trim();
  if (given !== '') return given;
  throw new TroupeError(
    'command.usage',
    'Cannot run the agent as it has no input: give it after the file, or pipe it in',
  );
};

/** Says of an error which part of the command line it is about. */
export const explainInput =
  (isData: boolean) =>
  (thrown: unknown): unknown =>
    explainOwnBudget(
      nameOption(
        thrown,
        ['input.invalid'],
        isData ? 'INPUT with --data' : 'INPUT',
        isData ? undefined : AS_TEXT,
      ),
    );

/** Parses INPUT with --data. @throws {TroupeError} `command.usage` */
export const dataIn = (given: string): unknown => {
  try {
    return JSON.parse(given);
  } catch (thrown) {
    throw new TroupeError(
      'command.usage',
      `Cannot run the agent as --data takes JSON: found '${oneLine(given, 80)}' (${messageOf(thrown)}). Quote it, such as '{"city": "Oslo"}', or leave --data out if it is text`,
    );
  }
};

const AS_TEXT = 'it is taken as text; if it is JSON, add --data';
