import type {
  CreateMessageRequest,
  CreateMessageResult,
  CreateMessageResultWithTools,
} from '@modelcontextprotocol/client';
import { errorData } from '../../contracts/errors/error.ts';
import type { ErrorCode } from '../../contracts/errors/error-data.ts';
import type { Model } from '../../contracts/models/model.ts';
import type { ToolContext } from '../../contracts/tools/tool.ts';

/** Asks a model what a server wants to know, on behalf of a call; its answer may be of many blocks. */
export type Sampler = (
  params: CreateMessageRequest['params'],
  context: ToolContext,
  models: readonly Model[],
) => Promise<CreateMessageResultWithTools>;

/** The answer for a server of 2025-11-25, whose package takes one block: what the model made, else its text. */
export const inOneBlock = (answer: CreateMessageResultWithTools): CreateMessageResult => {
  const { content, ...rest } = answer;
  const blocks = [content].flat().filter(isPlain);
  return { ...rest, content: blocks.find(({ type }) => type !== 'text') ?? blocks[0] ?? EMPTY };
};

type Block = CreateMessageResult['content'];

const isPlain = (block: { readonly type: string }): block is Block =>
  block.type === 'text' || block.type === 'image' || block.type === 'audio';

const EMPTY: Block = { type: 'text', text: '' };

/** Codes of JSON-RPC: of the protocol for a refusal by the user, whose limits these are; for a message that is not taken; for all else. */
const REJECTED = -1;
const INVALID_PARAMS = -32_602;
const INTERNAL = -32_603;

/** The refusal that a server of 2025-11-25 is sent: a code of JSON-RPC, the reason, and troupe's own code as its data. */
export const refusalOf = (thrown: unknown): Error => {
  const { code, message } = errorData(thrown, 'tool.failed');
  return Object.assign(new Error(message, { cause: thrown }), { code: wireCode(code), data: { code } });
};

const wireCode = (code: ErrorCode): number => {
  if (code === 'budget.spent' || code === 'limit.reached') return REJECTED;
  return /^(model\.content-refused|content\.)/.test(code) ? INVALID_PARAMS : INTERNAL;
};
