import { TroupeError } from '../../contracts/errors/error.ts';
import type { Schema } from '../../base/schemas/schema.ts';
import { isLikeJsonSchema, isSchema, schemaFound } from './schemas.ts';
import { parseFieldList, parseSignature } from '../signatures/signature-parse.ts';
import { fieldsSchema } from '../signatures/signature-schema.ts';

/** The schemas of an agent's `input` and `output`, in whatever form they were given. */
export interface DescribedSchemas {
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
}

/**
 * Resolves an agent's `input` and `output`. JavaScript callers may pass anything.
 *
 * @throws {TroupeError} `agent.invalid` for anything but a schema or a valid string.
 */
export const describedSchemas = (name: string, input: unknown, output: unknown): DescribedSchemas => {
  const whole = [input, output].find((each) => typeof each === 'string' && each.includes('->'));
  const sides = typeof whole === 'string' ? parseSignature(whole) : undefined;
  const read = (option: 'input' | 'output', given: unknown): Schema | undefined => {
    if (given === undefined || given === whole) {
      const fields = option === 'input' ? sides?.inputs : sides?.outputs;
      return fields === undefined ? undefined : fieldsSchema(fields);
    }
    if (typeof given === 'string') return fieldsSchema(parseFieldList(given));
    if (isSchema(given)) return given;
    const why = isLikeJsonSchema(given)
      ? `a JSON Schema, ${schemaFound(given)}: write \`${option}: jsonSchema(…)\``
      : `not a Standard Schema: ${schemaFound(given)}`;
    throw new TroupeError('agent.invalid', `Cannot define the agent '${name}' as its ${option} is ${why}`);
  };
  return { input: read('input', input), output: read('output', output) };
};
