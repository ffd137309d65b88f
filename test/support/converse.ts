import type { z } from 'zod';
import type { Json } from '../../src/base/json/json.ts';
import type { Model, ModelAnswer, ModelRequest } from '../../src/contracts/models/model.ts';
import type { Tool } from '../../src/contracts/tools/tool.ts';
import type { Turn } from '../../src/contracts/conversations/transcript.ts';
import { jsonSchemaOf } from '../../src/tools/schemas/schemas.ts';
import { perform } from '../tools/tool-context.ts';
import { question, transcript } from './ask-model.ts';

/** What a conversation came to. */
export interface Conversation {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: Json }[];
  readonly answers: readonly ModelAnswer[];
}

/** How to talk to a model. */
export interface ConverseOptions extends Pick<ModelRequest, 'toolChoice'> {
  readonly tools?: readonly Tool[];
  readonly instructions?: string;
  readonly output?: z.ZodType;
  /** Turns after the request. */
  readonly later?: readonly Turn[];
}

/** The smallest loop there is: the model is asked, its calls are made, until it answers. */
export const converse = async (
  model: Model,
  request: string,
  { tools = [], instructions = '', output, later = [], toolChoice }: ConverseOptions = {},
): Promise<Conversation> => {
  const turns: Turn[] = [{ role: 'user', text: request }, ...later];
  const calls: { name: string; input: Json }[] = [];
  const answers: ModelAnswer[] = [];
  for (let step = 0; step < 12; step += 1) {
    const asked = question({
      instructions,
      messages: transcript(...turns),
      tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
      toolChoice,
      output: output && { name: 'answer', schema: jsonSchemaOf(output) },
    });
    const answer = await model.answer(asked, {
      key: `run#${step}.DECIDE.0.1`,
      signal: new AbortController().signal,
      delta: () => undefined,
      isWatched: false,
    });
    answers.push(answer);
    if (answer.calls.length === 0) return { text: answer.text, calls, answers };
    turns.push({ role: 'assistant', text: answer.text, calls: answer.calls });
    for (const call of answer.calls) {
      calls.push({ name: call.name, input: call.input });
      const tool = tools.find(({ name }) => name === call.name);
      if (tool === undefined) throw new Error(`the model called ${call.name}, which nobody offered`);
      const { ok, text } = await perform(tool, call.input);
      turns.push({ role: 'tool', callId: call.id, tool: call.name, text, failed: !ok });
    }
  }
  throw new Error('the model called tools without end');
};
