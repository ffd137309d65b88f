import * as z from 'zod';
import { TroupeError } from '../../contracts/errors/error.ts';
import type { Tool, ToolContext, Toolset } from '../../contracts/tools/tool.ts';
import { tool } from '../define/define-tool.ts';
import { dual } from '../calls/tool-result.ts';

/** Options of an agent's conversations with others. */
export interface ColleaguesOptions {
  /** Names of the agents that it may talk to. Default: its siblings, its children, and all its ancestors. */
  readonly with?: readonly string[] | undefined;
  /** The time that it waits for an answer, in ms. Default 60,000. */
  readonly askTimeoutMs?: number | undefined;
  /** Default answer on time-out. Without it the call fails. */
  readonly otherwise?: string | undefined;
}

const text = z.string().trim().min(1, 'there is nothing to say');
const kind = z
  .enum(['delegation', 'status', 'completion', 'clarification', 'escalation', 'system'])
  .optional()
  .describe('What it is, where that matters: who may say it to whom is looked at.');

/**
 * The toolset `colleagues`: `tell`, `ask`, `reply`, `broadcast`, `publish` and `subscribe`. Models use it to talk to
 * the other agents of their run while all of them work.
 *
 * The runtime sets the sender of a message. Circular waits are refused: the second of two that ask each other is
 * notified, and can answer first.
 *
 * @example
 * const writer = agent({ name: 'writer', instructions: 'Ask the critic before you answer.', tools: [colleagues()] });
 *
 * @throws {TroupeError} `tool.invalid` if `with` is empty, or the time limit is not above 0.
 */
export const colleagues = (options: ColleaguesOptions = {}): Toolset => {
  const { askTimeoutMs = 60_000 } = options;
  if (options.with?.length === 0 || !(askTimeoutMs > 0))
    throw new TroupeError(
      'tool.invalid',
      `Cannot define the toolset 'colleagues' as its list of agents must not be empty and its time limit must be above 0 ms: with ${String(options.with)}, ${askTimeoutMs} ms`,
    );
  return { name: 'colleagues', tools: [...privately(options, askTimeoutMs), ...openly] };
};

/** Refuses receivers that are not allowed. */
const assertAllowed = (to: string, { with: names }: ColleaguesOptions): string => {
  if (names === undefined || names.includes(to)) return to;
  throw new TroupeError(
    'message.refused',
    `Cannot talk to '${to}' as only these are allowed: ${names.join(', ')}`,
  );
};

const privately = (options: ColleaguesOptions, timeoutMs: number): readonly Tool[] => {
  const to = z
    .string()
    .describe(
      options.with === undefined ? 'A name; `parent` is whoever you work for.' : options.with.join(', '),
    );
  return [
    tool({
      name: 'tell',
      description: 'Tells another agent something. It reads that at its next step; nothing comes back.',
      category: 'messages',
      safety: 'read',
      input: z.object({
        to,
        text,
        kind,
        about: z.string().optional().describe('The id of the message it belongs to.'),
      }),
      describe: ({ to: who }) => `Telling ${who} something`,
      retry: false,
      execute: async ({ to: who, text: what, kind: of, about }, { messages }) => {
        const id = await messages.tell(assertAllowed(who, options), what, {
          ...(of === undefined ? {} : { kind: of }),
          ...(about === undefined ? {} : { correlation: about }),
        });
        return dual({ text: `Told ${who} (${id}).`, value: { id } });
      },
    }),
    tool({
      name: 'ask',
      description: 'Asks another agent something and waits for the answer.',
      category: 'messages',
      safety: 'read',
      input: z.object({ to, text }),
      describe: ({ to: who, text: what }) => `Asking ${who}: ${what.slice(0, 100)}`,
      // It has a time limit of its own.
      timeoutMs: Infinity,
      retry: false,
      execute: async ({ to: who, text: what }, { messages }) => {
        const { otherwise } = options;
        const limits = { timeoutMs, ...(otherwise === undefined ? {} : { otherwise }) };
        const answer = await messages.ask(assertAllowed(who, options), what, limits);
        const said = answer.isDefault === true ? `${who} did not answer in time. Take this: ` : '';
        return dual({ text: `${said}${answer.text}`, value: answer });
      },
    }),
  ];
};

const openly: readonly Tool[] = [
  tool({
    name: 'reply',
    description:
      'Answers somebody who waits for an answer: the message with that id, else the oldest question.',
    category: 'messages',
    safety: 'read',
    input: z.object({
      text,
      to: z.string().optional().describe('The id of the message.'),
      data: z.json().optional(),
    }),
    describe: () => 'Answering a question',
    retry: false,
    execute: async ({ text: what, to, data }, { messages }: ToolContext) => {
      const id = await messages.reply(what, {
        ...(to === undefined ? {} : { to }),
        ...(data === undefined ? {} : { data }),
      });
      return dual({ text: 'Answered.', value: { id } });
    },
  }),
  tool({
    name: 'broadcast',
    description: 'Tells all who work beside you and for you.',
    category: 'messages',
    safety: 'read',
    input: z.object({ text }),
    describe: () => 'Telling everybody',
    retry: false,
    execute: async ({ text: what }, { messages }) => reportReached(await messages.broadcast(what)),
  }),
  tool({
    name: 'publish',
    description: 'Tells all who subscribed to a topic.',
    category: 'messages',
    safety: 'read',
    input: z.object({ topic: text, text }),
    describe: ({ topic }) => `Publishing under ${topic}`,
    retry: false,
    execute: async ({ topic, text: what }, { messages }) =>
      reportReached(await messages.publish(topic, what)),
  }),
  tool({
    name: 'subscribe',
    description: 'Has you get what is published under a topic from now on, or no more.',
    category: 'messages',
    safety: 'read',
    input: z.object({ topic: text, on: z.boolean().optional().describe('Default true.') }),
    describe: ({ topic }) => `Subscribing to ${topic}`,
    execute: ({ topic, on = true }, { messages }) => {
      messages.subscribe(topic, on);
      return on ? `You get what is published under ${topic}.` : `You get nothing of ${topic} any more.`;
    },
  }),
];

const reportReached = (paths: readonly string[]) =>
  dual({
    text: paths.length === 0 ? 'It reached nobody.' : `It reached ${paths.join(', ')}.`,
    value: { reached: [...paths] },
  });
