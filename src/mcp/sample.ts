import { TroupeError } from '../contracts/errors/error.ts';
import type { Turn } from '../contracts/conversations/transcript.ts';
import { agent } from '../runtime/define/agent.ts';
import type { Sampler } from '../tools/mcp/mcp-session.ts';

/** Tokens that a server gets at most for one question. */
const MAX_TOKENS = 4_000;

/**
 * Asks the models of the agent what its server wants to know, by an agent without tools: a child of the run, so that its budget, its events and
 * its abort hold.
 */
export const sample: Sampler = async ({ systemPrompt, messages, maxTokens }, context, models) => {
  const turns = messages.map(turnOf);
  const prompt = turns.at(-1)?.text ?? '';
  const sampler = agent({
    name: 'sampler',
    description: 'Answers a question of an MCP server.',
    instructions: systemPrompt ?? '',
    model: models,
    settings: { maxOutputTokens: Math.min(maxTokens, MAX_TOKENS) },
  });
  const { output, stopReason } = await context.run(sampler, prompt, { history: turns.slice(0, -1) });
  if (output === undefined)
    throw new TroupeError(
      'tool.failed',
      `Cannot answer the server as its question ended by ${stopReason.kind}`,
    );
  const [model] = models;
  const name = model === undefined ? 'unknown' : `${model.provider}:${model.id}`;
  return { role: 'assistant', model: name, content: { type: 'text', text: output }, stopReason: 'endTurn' };
};

type Message = Parameters<Sampler>[0]['messages'][number];

const turnOf = ({ role, content }: Message): Turn => {
  const blocks = Array.isArray(content) ? content : [content];
  const text = blocks.map((block) => (block.type === 'text' ? block.text : `(${block.type})`)).join('\n');
  return role === 'user' ? { role, text } : { role, text, calls: [] };
};
