import { andThen } from '../../base/promises/thenable.ts';
import { TroupeError } from '../../contracts/errors/error.ts';
import type {
  Model,
  ModelAnswer,
  ModelCall,
  ModelRequest,
  OutputSpec,
  ToolChoice,
} from '../../contracts/models/model.ts';
import type { ToolCall, ToolSpec } from '../../contracts/tools/tool-call.ts';
import { toolInputs } from '../calls/tool-inputs.ts';
import { fencedJson } from '../parsers/fenced-json.ts';
import { looseJson } from '../parsers/loose-json.ts';
import { wrapCall } from '../wrap-call.ts';
import { wrapModel } from '../wrap-model.ts';
import { outputInstruction } from './output-schema.ts';
import { valueUnwrapper } from './unwrap-deltas.ts';

/**
 * Asks a model for structured outputs in another way than its adapter does: `tool` as the arguments of a tool that it has to call, for
 * models that keep to the schemas of tools better than to those of answers; `text` by its instructions alone, where a server refuses
 * schemas. JSON in a text is repaired.
 *
 * To the agent nothing changes: the output is checked, streamed (`partial$`) and asked for again as before. The surprise: with `tool` the
 * model must call a tool in every answer, as if by `settings.toolChoice: 'required'`, without which Anthropic's models would think;
 * `settings.toolChoice: 'auto'` leaves the model free. Calls beside the output are executed first, and the output is asked for again. An
 * answer that broke off (`failures: { retry: { onBreak: 'continue' } }`) cannot be continued by a call, and costs a step.
 *
 * @example
 * agent({ name: 'clerk', model: withOutputMode(openaiChat('small-model'), 'tool'), output: z.object({ total: z.number() }) });
 *
 * @throws {TroupeError} `input.invalid` for an unknown mode.
 */
export const withOutputMode = (model: Model, mode: 'tool' | 'text'): Model => {
  const begin = Object.hasOwn(MODES, mode) ? MODES[mode] : undefined;
  if (begin === undefined)
    throw new TroupeError(
      'input.invalid',
      `Cannot ask ${model.provider}:${model.id} for outputs in the mode '${String(mode)}' as there is none: ${Object.keys(MODES).join(', ')}`,
    );
  return wrapModel(model, (given, call) => {
    const { output, ...request } = given;
    if (output === undefined) return model.answer(given, call);
    const asking = begin({ request, output, call, provider: model.provider });
    return andThen(model.answer(asking.request, asking.call), asking.read);
  });
};

/** One call in a mode: what is sent, who hears what arrives, and the answer that it was meant as. */
interface Asking {
  readonly request: ModelRequest;
  readonly call: ModelCall;
  readonly read: (answer: ModelAnswer) => ModelAnswer;
}

/** The call of the wrapped model. */
interface Given {
  readonly request: Omit<ModelRequest, 'output'>;
  readonly output: OutputSpec;
  readonly call: ModelCall;
  readonly provider: string;
}

type Begin = (given: Given) => Asking;

const askByTool: Begin = (given) => {
  const { request, output, call } = given;
  // One of the agent's own tools has to be called first.
  if (request.toolChoice === 'required') return { request, call, read: (answer) => answer };
  const tool = outputTool(output, request.tools);
  return {
    request: { ...request, tools: [...request.tools, tool], toolChoice: choiceWith(tool, given) },
    call: streamingInput(call, tool),
    read: (answer) => {
      const outputs = answer.calls.filter(({ name }) => name === tool.name);
      const [first] = outputs;
      if (first === undefined) {
        // A model that was not forced, or does not heed it: its text may be the output.
        if (call.isWatched && answer.calls.length === 0 && answer.text !== '')
          call.delta({ type: 'text', text: answer.text });
        return answer;
      }
      const calls = answer.calls.filter((each) => !outputs.includes(each));
      if (calls.length > 0) return { ...answer, calls };
      const finish = answer.finish === 'tool-calls' ? 'stop' : answer.finish;
      return { ...answer, text: textOf(first), calls, finish };
    },
  };
};

const askByText: Begin = ({ request, output, call }) => ({
  request: {
    ...request,
    instructions: [request.instructions, outputInstruction(output)]
      .filter((each) => each !== '')
      .join('\n\n'),
  },
  call,
  read: (answer) => (answer.calls.length > 0 ? answer : { ...answer, text: repairJson(answer.text) }),
});

/** Repairs a text that is JSON as a whole, or in its only fence: JSON amid prose may not be the answer. */
const repairJson = (text: string): string => {
  const json = fencedJson(text).trim();
  const found = looseJson(json);
  const isWhole = found?.isTruncated === false && found.start === 0 && found.end === json.length;
  return isWhole ? JSON.stringify(found.value) : text;
};

const MODES = { tool: askByTool, text: askByText };

const outputTool = ({ schema }: OutputSpec, tools: readonly ToolSpec[]): ToolSpec => {
  let name = 'final_answer';
  while (tools.some((tool) => tool.name === name)) name += '_';
  return {
    name,
    description: 'Gives your final answer. Call it once you have that, and no other tool beside it.',
    parameters: schema,
  };
};

/** A call of some tool is forced, which one it is up to the model, unless there is but this one. */
const choiceWith = ({ name }: ToolSpec, { request, provider }: Given): ToolChoice => {
  const { tools, toolChoice, settings } = request;
  if (toolChoice === 'auto' || typeof toolChoice === 'object') return toolChoice;
  const count = tools.length + (settings?.providerTools?.[provider]?.length ?? 0);
  return toolChoice === 'none' || count === 0 ? { name } : 'required';
};

/** Streams the arguments of the tool as the text of the answer, and what the model says beside them as progress. */
const streamingInput = (call: ModelCall, tool: ToolSpec): ModelCall => {
  const unwrap = toolInputs([tool]).isWrapped(tool) ? valueUnwrapper() : (piece: string) => piece;
  let index: number | undefined;
  return wrapCall(call, {
    delta: (delta) => {
      if (delta.type === 'tool-call' && delta.name === tool.name) index ??= delta.index;
      if (delta.type === 'tool-call' && delta.index === index) {
        const text = unwrap(delta.text);
        call.delta(text === '' ? { type: 'progress' } : { type: 'text', text });
      } else call.delta(delta.type === 'text' ? { type: 'progress' } : delta);
    },
  });
};

/** Arguments that could not be read are passed on as they are: the agent tells the model what is wrong with its answer. */
const textOf = ({ input, problem }: ToolCall): string =>
  problem !== undefined && typeof input === 'string' ? input : JSON.stringify(input);
