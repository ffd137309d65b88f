import { text } from 'node:stream/consumers';
import { messageOf, TroupeError } from '../contracts/error.ts';
import { loadAgent } from './load-agent.ts';
import { perform } from './perform.ts';
import type { Session } from './session.ts';
import { modelOf } from './session.ts';

/** `troupe run`: runs the agent or team that a module exports. */
export const run = async (
  wanted: {
    readonly file: string;
    readonly input: string | undefined;
    readonly isData: boolean;
    readonly exportName: string | undefined;
  },
  session: Session,
): Promise<number> => {
  const { terminal, settings } = session;
  // Its agents' own models stand, unless another one is asked for.
  const model = settings.model === undefined ? undefined : modelOf(session);
  const agent = await loadAgent(wanted.file, terminal.folder, wanted.exportName);
  const given = wanted.input ?? (await standardInput(session));
  return perform(agent, wanted.isData ? dataIn(given) : given, { session, model });
};

const standardInput = async ({ terminal }: Session): Promise<string> => {
  const given = terminal.stdin.isTTY === true ? '' : (await text(terminal.stdin)).trim();
  if (given !== '') return given;
  throw new TroupeError(
    'command.usage',
    'Cannot run the agent as it was given no input: name it after the file, or pipe it in',
  );
};

const dataIn = (given: string): unknown => {
  try {
    return JSON.parse(given);
  } catch (thrown) {
    throw new TroupeError(
      'command.usage',
      `Cannot run the agent as its input is no JSON: ${messageOf(thrown)}`,
    );
  }
};
