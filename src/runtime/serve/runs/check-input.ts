import type { Json } from '../../../base/json/json.ts';
import { isJsonObject } from '../../../base/json/json.ts';
import { issuesText } from '../../../base/schemas/schema.ts';
import { isMedia, isPartList } from '../../../contracts/content/part.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { jsonSchemaIssues } from '../../../tools/schemas/json-schema-check.ts';
import { schemasOf } from './agent-schemas.ts';
import type { ServedAgent } from './served-names.ts';

/**
 * Validates an input by the JSON Schema of an agent, before a run is made of it; an agent without a schema takes a text, or parts.
 *
 * @throws {TroupeError} `input.invalid`
 */
export const checkInput = (agent: ServedAgent, input: Json): void => {
  const { input: schema } = schemasOf(agent);
  if (schema === undefined) {
    checkContent(input, 'input');
    return;
  }
  const issues = isJsonObject(schema) ? jsonSchemaIssues(schema, input) : [];
  if (issues.length === 0) return;
  const problems = issues.map(({ path, message }) => ({ path: path.join('.'), message }));
  throw new TroupeError(
    'input.invalid',
    `Cannot run '${agent.name}' as its input does not fit: ${issuesText(problems)}`,
  );
};

/**
 * Validates the content of a message from outside: a text, or parts that have their bytes or address with them. A hash alone may be that
 * of another's media.
 *
 * @throws {TroupeError} `input.invalid`
 */
export const checkContent = (content: Json, what: 'input' | 'message'): void => {
  if (typeof content === 'string') return;
  if (!Array.isArray(content) || content.length === 0)
    throw new TroupeError(
      'input.invalid',
      `Cannot take the ${what} as it is neither a text nor a list of parts`,
    );
  const byHash = content.some((part: Json) => isJsonObject(part) && 'hash' in part);
  if (byHash || (isPartList(content) && content.some(isMedia)))
    throw new TroupeError(
      'input.invalid',
      `Cannot take the ${what} as it names media by a hash: send the bytes`,
    );
};
