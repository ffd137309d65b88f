import { TroupeError } from '../../contracts/errors/error.ts';
import type { Json } from '../../base/json/json.ts';
import { toJson } from '../../base/json/json.ts';
import type { AskOptions, TellOptions } from '../../contracts/messages/message.ts';
import type { Schema } from '../../base/schemas/schema.ts';
import type { Tool, ToolContext, Toolset } from '../../contracts/tools/tool.ts';
import { tool } from '../define/define-tool.ts';
import { dual } from '../calls/tool-result.ts';

/** Sends messages of a protocol whose data is validated already. */
interface Sayings {
  readonly to: string;
  readonly messages: Readonly<
    Record<
      string,
      {
        readonly schema: Schema;
        readonly reply?: Schema | undefined;
        readonly description?: string | undefined;
      }
    >
  >;
  readonly tell: (context: ToolContext, kind: string, said: Json, options: TellOptions) => Promise<string>;
  readonly ask: (context: ToolContext, kind: string, said: Json, options: AskOptions) => Promise<unknown>;
}

/** Builds tools for the messages of a protocol: a tool validates its input by the schema of the message, once. */
export const protocolTools = (
  { to, messages, tell, ask }: Sayings,
  { askTimeoutMs = 60_000 }: { readonly askTimeoutMs?: number | undefined },
): Toolset => {
  if (!(askTimeoutMs > 0))
    throw new TroupeError(
      'tool.invalid',
      `Cannot make tools for talking to '${to}' as their time limit must be above 0 ms: found ${String(askTimeoutMs)}`,
    );
  const asking = (kind: string, schema: Schema, description: string): Tool =>
    tool({
      name: `ask_${kind}`,
      description:
        description === '' ? `Asks ${to} for an answer to '${kind}', and waits for it.` : description,
      category: 'messages',
      safety: 'read',
      input: schema,
      describe: () => `Asking ${to}: ${kind}`,
      // It has a time limit of its own.
      timeoutMs: Infinity,
      retry: false,
      execute: async (said: unknown, context) => {
        const value = await ask(context, kind, toJson(said), { timeoutMs: askTimeoutMs });
        return dual({ text: JSON.stringify(toJson(value)), value });
      },
    });
  const telling = (kind: string, schema: Schema, description: string): Tool =>
    tool({
      name: `tell_${kind}`,
      description:
        description === ''
          ? `Tells ${to} '${kind}'. It is read at the next step; nothing comes back.`
          : description,
      category: 'messages',
      safety: 'read',
      input: schema,
      describe: () => `Telling ${to}: ${kind}`,
      retry: false,
      execute: async (said: unknown, context) => {
        const id = await tell(context, kind, toJson(said), {});
        return dual({ text: `Told ${to} (${id}).`, value: { id } });
      },
    });
  const tools = Object.entries(messages).map(([kind, { schema, reply, description = '' }]) =>
    reply === undefined ? telling(kind, schema, description) : asking(kind, schema, description),
  );
  return { name: to, tools };
};
