import type { JsonObject } from '../../base/json/json.ts';
import type { Tool } from '../../contracts/tools/tool.ts';
import { jsonSchema } from '../schemas/json-schema.ts';
import { tool } from './define-tool.ts';

/** A tool that a client runs, as its protocol describes it. */
export interface ClientTool {
  readonly name: string;
  /** `''` if the client says nothing of it. */
  readonly description: string;
  /** JSON Schema of its arguments. Default: none. */
  readonly parameters?: JsonObject | undefined;
  /** Asks the client for one call at a time. Default true. */
  readonly exclusive?: boolean | undefined;
}

/**
 * Makes a tool of one that a client runs: a call asks the client, and its result is what the client answers.
 *
 * @throws {TroupeError} `tool.invalid`
 */
export const clientTool = ({ name, description, parameters, exclusive = true }: ClientTool): Tool =>
  tool({
    name,
    description: description === '' ? `Runs '${name}' in the user's app.` : description,
    input: jsonSchema(parameters ?? { type: 'object', properties: {} }),
    // The user's app does with it what it likes.
    safety: 'write',
    exclusive,
    timeoutMs: Infinity,
    // A client must not be asked again because its answer was rejected.
    retry: false,
    execute: (_, context) => context.ask(`The client is to run '${name}'.`),
  });
