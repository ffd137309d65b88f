import type { ClientTool } from '../../contracts/tools/client-tool.ts';
import { clientToolNotes } from '../../contracts/tools/client-tool.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { jsonSchema } from '../schemas/json-schema.ts';
import { tool } from './define-tool.ts';

/**
 * Makes a tool of one that a client runs: a call asks the client, and its result is what the client answers.
 *
 * @throws {TroupeError} `tool.invalid`
 */
export const clientTool = ({ name, ...terms }: ClientTool): Tool => {
  const { description, parameters, exclusive = true, expireAfterMs } = terms;
  const made = tool({
    name,
    description: description === '' ? `Runs '${name}' in the user's app.` : description,
    input: jsonSchema(parameters ?? { type: 'object', properties: {} }),
    // The user's app does with it what it likes.
    safety: 'write',
    // A call that is executed again asks the same question, and has the answer that there is.
    idempotent: true,
    exclusive,
    timeoutMs: Infinity,
    // A client must not be asked again because its answer was rejected.
    retry: false,
    execute: (_, context) => context.ask(`The client is to run '${name}'.`, { expireAfterMs }),
  });
  clientToolNotes.set(made, { client: terms });
  return made;
};
