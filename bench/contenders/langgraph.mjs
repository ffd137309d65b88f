/** LangGraph's `createReactAgent` without a checkpointer, which would cost it many times more. Tracing is off. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { AIMessage, HumanMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import { createReactAgent } from '@langchain/langgraph/prebuilt';
import { z } from 'zod';

process.env.LANGSMITH_TRACING = 'false';
process.env.LANGCHAIN_TRACING_V2 = 'false';

class Walker extends BaseChatModel {
  #task;
  #count = 0;

  constructor(task) {
    super({});
    this.#task = task;
  }
  _llmType() {
    return 'walker';
  }
  bindTools() {
    return this;
  }
  async _generate(messages) {
    const { text = '', call } = this.#task.decide(messages.at(-1).content, messages.length);
    const calls =
      call === undefined
        ? []
        : [{ id: `c${(this.#count += 1)}`, name: 'step', args: call, type: 'tool_call' }];
    return { generations: [{ text, message: new AIMessage({ content: text, tool_calls: calls }) }] };
  }
}

export const start = (task) => {
  const schema = z.object({ agent: z.number(), i: z.number() });
  const step = tool(task.step, { name: 'step', description: 'Takes a step.', schema });
  const graph = createReactAgent({ llm: new Walker(task), tools: [step] });
  return async (agent) => {
    const input = { messages: [new HumanMessage(task.prompt(agent))] };
    const { messages } = await graph.invoke(input, { recursionLimit: 10_000_000 });
    return messages.at(-1).content;
  };
};
