/** The AI SDK's `generateText` with a plain-object model: its own mock keeps every prompt, which would be unfair. */
import { generateText, stepCountIs, tool } from 'ai';
import { z } from 'zod';

globalThis.AI_SDK_LOG_WARNINGS = false;

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
};

const lastText = (prompt) => {
  const part = prompt.at(-1).content.at(-1);
  return part.type === 'text' ? part.text : part.output.value;
};

export const start = (task) => {
  let count = 0;
  const doGenerate = async ({ prompt }) => {
    const chosen = task.decide(lastText(prompt), prompt.length);
    const isAnswer = chosen.text !== undefined;
    const content = isAnswer
      ? { type: 'text', text: chosen.text }
      : {
          type: 'tool-call',
          toolCallId: `c${(count += 1)}`,
          toolName: 'step',
          input: JSON.stringify(chosen.call),
        };
    const finishReason = { unified: isAnswer ? 'stop' : 'tool-calls', raw: undefined };
    return { content: [content], finishReason, usage, warnings: [] };
  };
  const model = {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'walker',
    supportedUrls: {},
    doGenerate,
  };
  const inputSchema = z.object({ agent: z.number(), i: z.number() });
  const tools = { step: tool({ description: 'Takes a step.', inputSchema, execute: task.step }) };
  const stopWhen = stepCountIs(1_000_000);
  return async (agent) => (await generateText({ model, tools, stopWhen, prompt: task.prompt(agent) })).text;
};
