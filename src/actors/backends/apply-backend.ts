import type { Backend } from '../../contracts/backend.ts';
import { TroupeError } from '../../contracts/error.ts';
import type { Json } from '../../contracts/json.ts';
import { checkSchema, jsonSchemaOf } from '../../tools/schemas.ts';
import type { AgentDefinition, OutputCheck } from '../agent-definition.ts';
import { andThen } from '../promises.ts';

/**
 * Applies a backend to an agent's definition.
 *
 * @throws {TroupeError} `agent.invalid` for options that the backend would have to ignore.
 */
export const applyBackend = (definition: AgentDefinition, backend: Backend): AgentDefinition => {
  const { engine, hasOwnTools, fragments = [], retry, answer } = backend;
  const ignored = [
    engine !== undefined && definition.models.length > 0 && 'a model',
    hasOwnTools === true && definition.tools.length > 0 && 'tools',
  ].filter((each) => each !== false);
  if (ignored.length > 0)
    throw new TroupeError(
      'agent.invalid',
      `Cannot define the agent '${definition.name}' as its backend '${backend.name}' has its own: ${ignored.join(' and ')} were given`,
    );
  return {
    ...definition,
    backend,
    ...(fragments.length === 0 ? {} : { fragments: [...definition.fragments, ...fragments] }),
    ...(retry === undefined ? {} : { retry: { ...retry, ...definition.retry } }),
    ...(answer === undefined ? {} : { output: outputOf(backend.name, answer, definition.output) }),
  };
};

/** Validates an answer by the backend's schema, then by the agent's own; without one the answer is text. */
const outputOf = (
  name: string,
  { schema, repairs, decision }: NonNullable<Backend['answer']>,
  own: OutputCheck | undefined,
): OutputCheck => ({
  spec: own?.spec ?? { name: `${name}_answer`.replaceAll('-', '_'), schema: jsonSchemaOf(schema) },
  check: (value) =>
    andThen(checkSchema(schema, value), (checked) =>
      checked.ok && own !== undefined ? own.check(checked.value) : checked,
    ),
  repairs,
  decision: (answer: Json) =>
    decision?.(answer) ??
    (own === undefined ? { kind: 'answer', answer: JSON.stringify(answer) } : undefined),
});
