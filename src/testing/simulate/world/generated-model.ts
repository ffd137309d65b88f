import type { Json } from '../../../base/json/json.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../../contracts/models/model.ts';
import { modelAnswer } from '../../../contracts/models/model.ts';
import { keyInRun } from '../../../contracts/runs/effect.ts';
import type { ToolSpec } from '../../../contracts/tools/tool-call.ts';
import type { Choices } from './choices.ts';
import type { WantedCall } from '../decision.ts';
import { simplestOf, valueBy } from './generated-value.ts';
import type { Temper } from './temper.ts';

/** Results of tools after which a generated model answers. */
const MOST_RESULTS = 12;

/** Calls in one answer. */
const MOST_CALLS = 3;

/** The sources of generated answers. */
export interface GeneratedBy {
  readonly choices: Choices;
  readonly temper: Temper;
  readonly runId: string;
}

/**
 * The model in place of a provider's: it calls any of the tools that it is shown, with inputs of their schemas, and answers by the schema of the answer.
 * What it says is decided at each call by itself. A calm one answers at once.
 */
export const generatedModel = (by: GeneratedBy): Model => ({
  provider: 'simulated',
  id: 'model',
  isLanguageModel: false,
  takes: { media: ['*'], links: ['*'] },
  answer: (request, { key }) => answerTo(request, `model ${keyInRun({ key, runId: by.runId })}`, by),
});

const answerTo = (request: ModelRequest, at: string, { choices, temper }: GeneratedBy): ModelAnswer => {
  const tools = toolsFor(request);
  const results = request.messages.toArray().filter(({ role }) => role === 'tool').length;
  const [first] = tools;
  const calls =
    first === undefined
      ? undefined
      : (choices.take(at, 'calls', (dice) => {
          if (results >= MOST_RESULTS || !dice.chance(temper.calls * 0.8 ** results)) return undefined;
          return Array.from({ length: 1 + dice.whole(dice.chance(0.3) ? MOST_CALLS : 1) }, (): WantedCall => {
            const { name, parameters } = tools[dice.whole(tools.length)] ?? first;
            return { name, input: valueBy(parameters, dice) };
          });
        }) ?? (isForced(request) ? [{ name: first.name, input: simplestOf(first.parameters) }] : undefined));
  const usage = { input: 100, output: 20 };
  if (calls !== undefined)
    return modelAnswer({
      usage,
      calls: calls.map(({ name, input }, index) => ({ id: `simulated_${index}`, name, input })),
    });
  const schema = request.output?.schema;
  const answer: Json =
    choices.take(at, 'answer', (dice) => {
      if (!dice.chance(temper.answers)) return undefined;
      return schema === undefined ? `answer ${dice.whole(100)}` : valueBy(schema, dice);
    }) ?? (schema === undefined ? 'done' : simplestOf(schema));
  return modelAnswer({
    usage,
    text: typeof answer === 'string' && schema === undefined ? answer : JSON.stringify(answer),
  });
};

/** The tools that it may call, as far as its request says. */
const toolsFor = ({ tools, toolChoice = 'auto' }: ModelRequest): readonly ToolSpec[] => {
  if (toolChoice === 'none') return [];
  return typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
};

const isForced = ({ toolChoice = 'auto' }: ModelRequest): boolean =>
  toolChoice === 'required' || typeof toolChoice === 'object';
