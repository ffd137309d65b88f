import { TroupeError } from '../../contracts/errors/error.ts';
import { toJson } from '../../base/json/json.ts';
import type { Json } from '../../base/json/json.ts';
import type { Answer, AskOptions, TellOptions } from '../../contracts/messages/message.ts';
import type { InputOf, OutputOf, Schema } from '../../base/schemas/schema.ts';
import type { ToolContext, Toolset } from '../../contracts/tools/tool.ts';
import { protocolTools } from './protocol-tools.ts';
import { issuesText } from '../../base/schemas/schema.ts';
import { checkSchema, isSchema } from '../schemas/schemas.ts';

/** One message of a protocol: its content and, if it expects an answer, the answer's. */
export interface ProtocolMessage {
  readonly schema: Schema;
  readonly reply?: Schema | undefined;
  /** Its purpose: a model that has it as a tool reads this. */
  readonly description?: string | undefined;
}

/** Options of a protocol's tools. */
export interface ProtocolToolsOptions {
  /** The time that it waits for an answer, in ms. Default 60,000. */
  readonly askTimeoutMs?: number | undefined;
}

type Messages = Readonly<Record<string, ProtocolMessage>>;
type Speaking = Pick<ToolContext, 'agent' | 'messages'>;
type Asked<All extends Messages> = {
  [Name in keyof All]: All[Name] extends { readonly reply: Schema } ? Name : never;
}[keyof All] &
  string;
type ReplyOf<Message extends ProtocolMessage> = Message extends { readonly reply: infer Reply extends Schema }
  ? OutputOf<Reply>
  : never;

/** The messages between two agents; see {@link protocol}. */
export interface Protocol<All extends Messages> {
  readonly from: string;
  readonly to: string;
  readonly messages: All;
  /** Sends one of its messages, from within a tool of `from`; returns its id. */
  tell<Name extends keyof All & string>(
    context: Speaking,
    name: Name,
    data: InputOf<All[Name]['schema']>,
    options?: Omit<TellOptions, 'data' | 'kind' | 'protocol'>,
  ): Promise<string>;
  /** Sends one that has a `reply`, and waits for it: an invalid reply is refused to its sender. */
  ask<Name extends Asked<All>>(
    context: Speaking,
    name: Name,
    data: InputOf<All[Name]['schema']>,
    options?: Omit<AskOptions, 'data' | 'kind' | 'protocol' | 'check' | 'otherwise'>,
  ): Promise<ReplyOf<All[Name]>>;
  /**
   * Its messages as tools for the model of `from`, in a toolset named after `to`: `ask_NAME` for a message that has a
   * `reply`, `tell_NAME` for any other. The input is validated by the schema of the message, and the result of an `ask`
   * is the reply.
   *
   * An undeliverable message is a failed call that the model reads: no receiver, no answer in time, an invalid answer.
   *
   * @example
   * const writer = agent({ name: 'writer', instructions: 'Ask the critic first.', tools: [review.tools()] }); //
   * critic.ask_draft
   *
   * @throws {TroupeError} `tool.invalid` for a message whose name is not valid for a tool, a schema without a JSON
   * Schema, or an invalid
   * time limit. Models send objects: a message whose schema is not of an object is refused where the agent is defined.
   */
  tools(options?: ProtocolToolsOptions): Toolset;
}

/**
 * Declares the messages that one agent may send to another, and their answers: checked by the compiler where they are
 * written, and by schemas where they are sent. An invalid answer is refused to its sender, and the question stays open.
 *
 * An answer is the data given to `reply`, else its text parsed as JSON.
 *
 * @example
 * const review = protocol({
 * from: 'writer',
 * to: 'critic',
 * messages: { draft: { schema: z.object({ text: z.string() }), reply: z.object({ isGood: z.boolean() }) } },
 * });
 * const { isGood } = await review.ask(context, 'draft', { text: 'Tides follow the moon.' }); // within a tool of the
 * writer
 *
 * @throws {TroupeError} `message.invalid` for a message without a schema; when it is used, `message.refused` for
 * anybody but `from`,
 * `message.invalid` for invalid data.
 */
export const protocol = <const All extends Messages>(given: {
  readonly from: string;
  readonly to: string;
  readonly messages: All;
}): Protocol<All> => {
  const { from, to, messages } = given;
  const name = `${from} to ${to}`;
  for (const [kind, { schema, reply }] of Object.entries(messages))
    if (!isSchema(schema) || (reply !== undefined && !isSchema(reply)))
      throw new TroupeError(
        'message.invalid',
        `Cannot define '${kind}' (${name}) as its schema, or that of its reply, is not a Standard Schema`,
      );
  const messageFor = ({ agent }: Speaking, kind: string): ProtocolMessage => {
    const message = Object.hasOwn(messages, kind) ? messages[kind] : undefined;
    if (message !== undefined && agent === from) return message;
    throw new TroupeError(
      'message.refused',
      `Cannot send '${kind}' as '${agent}' is not '${from}', who sends: ${Object.keys(messages).join(', ')}`,
    );
  };
  const content = async (context: Speaking, kind: string, data: unknown): Promise<Json> => {
    const checked = await checkSchema(messageFor(context, kind).schema, data);
    if (checked.ok) return toJson(checked.value);
    throw new TroupeError(
      'message.invalid',
      `Cannot send '${kind}' (${name}) as it is invalid: ${issuesText(checked.issues)}`,
    );
  };
  const tell = (context: Speaking, kind: string, said: Json, options: TellOptions): Promise<string> => {
    messageFor(context, kind);
    return context.messages.tell(to, wordsFor(kind, said), { ...options, data: said, kind, protocol: name });
  };
  const ask = async (context: Speaking, kind: string, said: Json, options: AskOptions): Promise<unknown> => {
    const { reply } = messageFor(context, kind);
    if (reply === undefined)
      throw new TroupeError('message.refused', `Cannot ask '${kind}' (${name}) as it has no reply: use tell`);
    const check = async (answer: Answer): Promise<string | undefined> => {
      const checked = await checkSchema(reply, dataOf(answer));
      return checked.ok ? undefined : issuesText(checked.issues);
    };
    const facts = { ...options, data: said, kind, protocol: name, check };
    const answer = await context.messages.ask(to, wordsFor(kind, said), facts);
    const checked = await checkSchema(reply, dataOf(answer));
    if (checked.ok) return checked.value;
    throw new TroupeError(
      'message.invalid',
      `Cannot accept the answer to '${kind}' (${name}) as it is invalid`,
    );
  };
  return {
    from,
    to,
    messages,
    tell: async (context, kind, data, options = {}) =>
      tell(context, kind, await content(context, kind, data), options),
    ask: async (context, kind, data, options = {}) =>
      // Validated by the schema from which its type is derived.
      (await ask(context, kind, await content(context, kind, data), options)) as ReplyOf<All[typeof kind]>,
    tools: (options = {}) => protocolTools({ to, messages, tell, ask }, options),
  };
};

const wordsFor = (kind: string, data: Json): string => `${kind}: ${JSON.stringify(data)}`;

const dataOf = ({ data, text }: Answer): unknown => {
  if (data !== undefined) return data;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};
