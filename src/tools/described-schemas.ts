import { TroupeError } from '../contracts/error.ts';
import type { Schema } from '../contracts/schema.ts';
import { isLikeJsonSchema, isSchema, schemaFound } from './schemas.ts';
import { parseFieldList, parseSignature } from './signature-parse.ts';
import { fieldsSchema } from './signature-schema.ts';

/** The schemas behind an agent's `input` and `output`, whatever was written there. */
export interface DescribedSchemas {
  readonly input: Schema | undefined;
  readonly output: Schema | undefined;
}

/**
 * Reads what an agent's options say of its input and output. In JavaScript anything may stand there.
 *
 * @throws {TroupeError} `agent.invalid` for what is neither a schema nor a string that can be read.
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
      : `no Standard Schema: ${schemaFound(given)}`;
    throw new TroupeError('agent.invalid', `Cannot define the agent '${name}' as its ${option} is ${why}`);
  };
  return { input: read('input', input), output: read('output', output) };
};
