import * as z from 'zod';
import { onDemand } from '../base/on-demand.ts';
import type { Json, JsonObject } from '../base/json/json.ts';
import { isJsonObject } from '../base/json/json.ts';
import type { Part } from '../contracts/content/part.ts';
import type { Transcript, Turn, UserTurn } from '../contracts/conversations/transcript.ts';

/** The tools that send a prompt, by their names in a conversation. */
export interface PromptTools {
  readonly prompt: string;
  readonly promptAgain: string;
}

/** The result of sending a prompt, as it is on record. */
export type PromptSent = z.infer<ReturnType<typeof promptSentSchema>>;

const promptSentSchema = onDemand(() =>
  z.object({
    run: z.string(),
    session: z.string(),
    /** True if another process can load the session. */
    loads: z.boolean(),
    /** The agent's own name and version. */
    agent: z.string().optional(),
  }),
);

/** The prompts that a coding agent was sent, as the conversation has them. */
export interface Told {
  /** The last prompt that was sent. */
  readonly sent: PromptSent | undefined;
  /** The input of the call that sent it. */
  readonly input: JsonObject | undefined;
  /** The words of the last attempt to send one, if it failed. */
  readonly failed: string | undefined;
  /** True if the turn of the last prompt ended. */
  readonly hasEnded: boolean;
  /** Messages that it was not sent. */
  readonly unsent: readonly UserTurn[];
}

/** Stands in the turn with which a coding agent ended its own. */
export const ENDED = { provider: 'acp', content: { turn: 'ended' } } as const;

/** Reads a conversation: what was sent of it is what stands before the last prompt that was sent. */
export const readTold = (messages: Transcript, names: PromptTools): Told => {
  const turns = messages.toArray();
  const isPrompt = (turn: Turn): boolean =>
    turn.role === 'tool' && (turn.tool === names.prompt || turn.tool === names.promptAgain);
  const last = turns.findLastIndex(isPrompt);
  const turn = turns[last];
  const sentAt = turns.findLastIndex((each) => isPrompt(each) && parseSent(each) !== undefined);
  const after = turns.slice(sentAt + 1);
  return {
    sent: sentAt < 0 ? undefined : parseSent(turns[sentAt]),
    input: inputOf(turns, sentAt),
    failed: turn?.role === 'tool' && last > sentAt ? turn.text : undefined,
    hasEnded: after.some((each) => each.role === 'assistant' && isEnd(each.replay?.content)),
    unsent: after.filter((each): each is UserTurn => each.role === 'user' && !IN_PASSING.has(each.from)),
  };
};

/** Speakers that show something of the world in each step, which is no message. */
const IN_PASSING: ReadonlySet<string | undefined> = new Set(['observation', 'memory']);

const parseSent = (turn: Turn | undefined): PromptSent | undefined => {
  if (turn?.role !== 'tool' || turn.failed === true) return undefined;
  try {
    return promptSentSchema().safeParse(JSON.parse(turn.text)).data;
  } catch {
    return undefined;
  }
};

/** The input of the call that a result answers. */
const inputOf = (turns: readonly Turn[], at: number): JsonObject | undefined => {
  const result = turns[at];
  if (result?.role !== 'tool') return undefined;
  for (const turn of turns.slice(0, at).toReversed()) {
    const call = turn.role === 'assistant' ? turn.calls?.find(({ id }) => id === result.callId) : undefined;
    if (call !== undefined) return isJsonObject(call.input) ? call.input : undefined;
  }
  return undefined;
};

const isEnd = (content: Json | undefined): boolean => isJsonObject(content) && content['turn'] === 'ended';

/** The parts of messages, each with its speaker if it is another agent. */
export const partsOf = (turns: readonly UserTurn[]): readonly Part[] =>
  turns.flatMap(({ text, parts, from }): readonly Part[] => {
    const said = parts ?? [{ type: 'text', text }];
    return from === undefined || from === 'runtime' || from === 'critic'
      ? said
      : [{ type: 'text', text: `Message from ${from}:` }, ...said];
  });
