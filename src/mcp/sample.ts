import type { AudioContent, ImageContent, TextContent } from '@modelcontextprotocol/client';
import { toBase64 } from '../base/bytes.ts';
import type { Content, GivenPart, Part } from '../contracts/content/part.ts';
import { contentText, isMedia, partText } from '../contracts/content/part.ts';
import type { Turn } from '../contracts/conversations/transcript.ts';
import { TroupeError } from '../contracts/errors/error.ts';
import type { StopReason } from '../contracts/agents/stop-reason.ts';
import type { RunResult } from '../contracts/runs/run-result.ts';
import type { ToolContext } from '../contracts/tools/tool.ts';
import { agent } from '../runtime/define/agent.ts';
import { partsOf, textOf } from '../tools/mcp/mcp-result.ts';
import type { Sampler } from '../tools/mcp/sampling.ts';

/** Tokens that a server gets at most for one question. */
const MAX_TOKENS = 4_000;

/**
 * Asks the models of the agent what its server wants to know, by an agent without tools: a child of the run, so that its budget, its limits on
 * content, its events and its abort hold.
 *
 * Rejects with `budget.spent`, and with `content.*` or `model.content-refused` for media that the run or its model does not take.
 */
export const sample: Sampler = async ({ systemPrompt, messages, maxTokens }, context, models) => {
  const turns = messages.flatMap(turnsOf);
  const sampler = agent({
    name: 'sampler',
    description: 'Answers a question of an MCP server.',
    instructions: systemPrompt ?? '',
    model: models,
    settings: { maxOutputTokens: Math.min(maxTokens, MAX_TOKENS) },
  });
  const result = await context.run(sampler, contentOf(turns.at(-1)), { history: turns.slice(0, -1) });
  const [model] = models;
  const blocks = await blocksOf(result, context);
  return {
    role: 'assistant',
    model: model === undefined ? 'unknown' : `${model.provider}:${model.id}`,
    content: blocks.length === 1 && blocks[0] !== undefined ? blocks[0] : blocks,
    stopReason: 'endTurn',
  };
};

type Message = Parameters<Sampler>[0]['messages'][number];

/** A message as turns. Providers take no media from an assistant: a turn of the user after it shows them. */
const turnsOf = ({ role, content }: Message): readonly Turn<GivenPart>[] => {
  const parts = (Array.isArray(content) ? content : [content]).flatMap(partsOf);
  const text = parts.map(textOf).join('\n');
  const media = parts.filter(({ type }) => type !== 'text');
  if (media.length === 0) return [{ role, text }];
  if (role === 'user') return [{ role, text, parts }];
  const shown = { role: 'user', text: SHOWN, parts: [{ type: 'text', text: SHOWN }, ...media] } as const;
  return [{ role, text }, shown];
};

const SHOWN = 'What the message before this one shows:';

const contentOf = ({ text = '', parts }: Partial<Turn<GivenPart>> = {}): Content => parts ?? text;

type Block = TextContent | ImageContent | AudioContent;

/** The answer as content: its text, then the media that the model made. */
const blocksOf = async (
  { output, stopReason, transcript }: RunResult<string>,
  context: ToolContext,
): Promise<Block[]> => {
  if (output === undefined) throw endError(stopReason);
  const last = transcript.at(-1);
  const made = last?.role === 'assistant' ? (last.parts ?? []) : [];
  // Without a text, the names of the media are the answer.
  const said: readonly Part[] =
    made.length > 0 && output === contentText(made) ? [] : [{ type: 'text', text: output }];
  return Promise.all([...said, ...made].map((part) => blockOf(part, context)));
};

const blockOf = async (part: Part, { bytesOf }: ToolContext): Promise<Block> => {
  if (!isMedia(part) || part.type === 'file') return { type: 'text', text: partText(part) };
  const { type, mediaType: mimeType } = part;
  return { type, data: toBase64(await bytesOf(part)), mimeType };
};

const endError = (stopReason: StopReason): TroupeError => {
  if (stopReason.kind !== 'budget')
    return new TroupeError(
      'tool.failed',
      `Cannot answer the server as its question ended by ${stopReason.kind}`,
    );
  const { budget, used, limit, neededUsd } = stopReason;
  const needed = neededUsd === undefined ? '' : `, and the question alone costs ${neededUsd}`;
  return new TroupeError(
    'budget.spent',
    `Cannot answer the server as the budget is spent: ${used} of ${limit} (\`${budget}\`)${needed}`,
  );
};
