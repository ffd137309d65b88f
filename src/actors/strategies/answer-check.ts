import type { Json } from '../../base/json/json.ts';
import type { AnswerForm, Strategy } from '../../contracts/agents/strategy.ts';
import { onlyKept } from '../../tools/schemas/kept-value.ts';
import { checkSchema, jsonSchemaOf } from '../../tools/schemas/schemas.ts';
import type { OutputCheck } from '../agent-definition.ts';
import { andThen } from '../../base/promises/thenable.ts';

/** The check of an agent's answers: by the form that a strategy asks for, then by the agent's own; without either an answer is text. */
export const answerCheckOf = (
  strategies: readonly Strategy[],
  agent: string,
  own: OutputCheck | undefined,
): OutputCheck | undefined => {
  const form = strategies.find(({ answer }) => answer !== undefined)?.answer;
  return form === undefined ? own : formCheck(form, agent, own);
};

const formCheck = (
  { schema, repairs, decision }: AnswerForm,
  agent: string,
  own: OutputCheck | undefined,
): OutputCheck => ({
  spec: own?.spec ?? { name: `${agent}_answer`.replaceAll('-', '_'), schema: jsonSchemaOf(schema) },
  check: (value) =>
    andThen(onlyKept(schema, checkSchema(schema, value)), (checked) =>
      checked.ok && own !== undefined ? own.check(checked.value) : checked,
    ),
  repairs,
  decision: (answer: Json) =>
    decision?.(answer) ??
    (own === undefined ? { kind: 'answer', answer: JSON.stringify(answer) } : undefined),
});
