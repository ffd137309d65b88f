import * as z from 'zod';
import type { Json } from '../base/json/json.ts';
import { toJson } from '../base/json/json.ts';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { Part } from '../contracts/content/part.ts';
import { isPartList } from '../contracts/content/part.ts';
import type { Turn } from '../contracts/conversations/transcript.ts';
import type { Tool, ToolContext } from '../contracts/tools/tool.ts';
import { dual } from '../tools/calls/tool-result.ts';
import { tool } from '../tools/define/define-tool.ts';
import type { SessionOptions } from './harness-session.ts';
import { HarnessSession } from './harness-session.ts';
import { promptBlocks } from './prompt-blocks.ts';
import type { Seat, Sessions } from './sessions.ts';
import type { PromptSent } from './told.ts';

/** The parts of a prompt, and the session that it belongs to. */
export interface PromptInput {
  readonly prompt: string;
  /** All of it, if it is more than text. */
  readonly parts?: readonly Part[];
  /** Sent first in a new session. */
  readonly instructions?: string;
  /** The session to continue. */
  readonly session?: string;
}

/** The parts of their agent that the tools that send prompts need. */
export interface PromptPlan {
  readonly options: SessionOptions;
  readonly sessions: Sessions;
  /** Registers a secret of the run. */
  readonly opened: (where: { readonly runId: string; readonly path: string }) => void;
  readonly isIdempotent: boolean;
}

/** The time limit of a call: the start has limits of its own. */
const TIMEOUT_MS = 600_000;

/**
 * The tool that sends a prompt: it starts the process, and opens or loads the session, unless they are there. Its result is on record
 * before anything follows from it, so no prompt is sent twice unnoticed.
 */
export const promptTool = (name: 'prompt' | 'prompt_again', plan: PromptPlan): Tool =>
  tool({
    name,
    description:
      name === 'prompt'
        ? 'Sends a prompt to the coding agent.'
        : 'Sends a prompt to the coding agent again, which may have worked on it before.',
    category: 'acp',
    safety: 'write',
    approval: name === 'prompt_again',
    idempotent: plan.isIdempotent,
    retry: false,
    timeoutMs: TIMEOUT_MS,
    input: z.object({
      prompt: z.string(),
      parts: z.array(z.json()).optional(),
      instructions: z.string().optional(),
      session: z.string().optional(),
    }),
    describe: ({ prompt }) =>
      `${name === 'prompt' ? 'Asking' : 'Asking once more'} ${plan.options.name}: ${prompt.slice(0, 80)}`,
    execute: async ({ parts, ...input }, context) => {
      const given = isPartList(parts) ? { ...input, parts } : input;
      const seat = plan.sessions.at(context);
      try {
        return await sendPrompt(withoutAbsent(given), plan, context);
      } catch (thrown) {
        const failed = plan.sessions.at(context) ?? seat;
        if (failed !== undefined) failed.failure = thrown;
        throw thrown;
      }
    },
  });

const sendPrompt = async (input: PromptInput, plan: PromptPlan, context: ToolContext) => {
  const before = plan.sessions.at(context);
  const isLive = before?.session.isOver === false && before.session.id !== undefined;
  const { session, isNew } = isLive
    ? { session: before.session, isNew: false }
    : await openSession(input, plan, context);
  const { id } = session;
  if (id === undefined)
    throw new TroupeError('acp.lost', `Cannot prompt '${plan.options.name}' as it has no session`);
  const said = input.parts ?? [{ type: 'text', text: input.prompt } as const];
  const first = isNew ? firstParts(input, context.conversation) : [];
  session.prompt(await promptBlocks([...first, ...said], session.promptCapabilities, context.bytesOf));
  const sent: PromptSent = { run: context.runId, session: id, loads: session.loads };
  return dual({ text: JSON.stringify(sent), value: toJson(sent) });
};

/** Starts a process, and loads the session if there is one that can be; a lost one is reported, and a new one opened. */
const openSession = async (
  { session: known }: PromptInput,
  { options, sessions, opened }: PromptPlan,
  context: ToolContext,
): Promise<{ readonly session: HarnessSession; readonly isNew: boolean }> => {
  await sessions.at(context)?.session.close();
  const session = new HarnessSession(options);
  const seat: Seat = { session };
  sessions.set(context, seat);
  opened(context);
  const stop = (): void => void session.close();
  context.signal.addEventListener('abort', stop);
  try {
    await session.start(context.ops);
    if (known !== undefined && session.loads && (await isLoaded(session, known, seat)))
      return { session, isNew: false };
    await session.open();
    return { session, isNew: true };
  } catch (thrown) {
    await session.close();
    throw thrown;
  } finally {
    context.signal.removeEventListener('abort', stop);
  }
};

const isLoaded = async (session: HarnessSession, known: string, seat: Seat): Promise<boolean> => {
  try {
    await session.load(known);
    return true;
  } catch (thrown) {
    // A process that is gone opens no other session either.
    if (session.isOver) throw thrown;
    seat.lost = messageOf(thrown);
    return false;
  }
};

/** The parts that a new session receives before the prompt: the instructions, and the conversation that it does not have. */
const firstParts = ({ instructions = '' }: PromptInput, conversation: readonly Turn[]): readonly Part[] => {
  const lastAnswer = conversation.findLastIndex(
    ({ role, text }) => role === 'assistant' && text.trim() !== '',
  );
  const earlier = conversation
    .slice(0, lastAnswer + 1)
    .flatMap(({ role, text }) => (role === 'tool' || text.trim() === '' ? [] : [`${role}: ${text}`]));
  return [
    ...(instructions.trim() === '' ? [] : [{ type: 'text', text: instructions } as const]),
    ...(earlier.length === 0
      ? []
      : [{ type: 'text', text: `The conversation so far:\n\n${earlier.join('\n\n')}` } as const]),
  ];
};

/** Without the fields that are not there. */
const withoutAbsent = (input: {
  readonly prompt: string;
  readonly parts?: readonly Part[] | undefined;
  readonly instructions?: string | undefined;
  readonly session?: string | undefined;
}): PromptInput => {
  const { prompt, parts, instructions, session } = input;
  return {
    prompt,
    ...(parts === undefined ? {} : { parts }),
    ...(instructions === undefined ? {} : { instructions }),
    ...(session === undefined ? {} : { session }),
  };
};

/** The input of a prompt as JSON, for a call. */
export const promptCall = (input: PromptInput): Json => toJson(input);
