import type { ErrorData } from '../../contracts/errors/error-data.ts';
import type { Messenger } from '../../contracts/messages/message.ts';
import { errorData } from '../../contracts/errors/error.ts';
import type { Tool, ToolContext } from '../../contracts/tools/tool.ts';
import { statusOf } from '../../tools/calls/classify-tool-error.ts';
import { wrapContext } from '../../tools/wrappers/wrap-context.ts';
import { withExecute } from '../../tools/wrappers/with-execute.ts';
import type { PoolSlot } from './concurrency-pool.ts';
import type { SharedBy } from './entrance.ts';
import { sharedCall } from './shared-call.ts';

/**
 * Wraps a tool so that its calls share a rate limit, a pool and a breaker with others, across runs.
 *
 * A call that runs an agent, or asks a person or another agent, releases its slot meanwhile. The tool's timeout includes the wait. A
 * rejected call is a failed result, retried by the tool's `retry`.
 *
 * @example
 * const search = sharedTool(webSearch, { pool: concurrencyPool(4), breaker: circuitBreaker() });
 */
export const sharedTool = (tool: Tool, by: SharedBy): Tool =>
  withExecute(tool, (input, context) =>
    sharedCall<unknown>(
      by,
      {
        get signal() {
          return context.signal;
        },
        tokens: () => 0,
        context: context.context,
        inLine: (turn) => turn,
      },
      {
        called: tool.name,
        make: ({ place }) => tool.execute(input, place === undefined ? context : lending(context, place)),
        used: () => undefined,
        failure: failureOf,
        lateness: (reason) => (isTimeout(reason) ? OUT_OF_TIME : undefined),
      },
    ),
  );

const OUT_OF_TIME: ErrorData = { code: 'tool.timeout', message: '', retryable: 'yes' };

/** Releases the slot while the call waits for others. */
const lending = (context: ToolContext, place: PoolSlot): ToolContext =>
  wrapContext(context, {
    run: (agent, input, options) => place.lend(() => context.run(agent, input, options)),
    ask: (question, options) => place.lend(() => context.ask(question, options)),
    get messages() {
      return lendingMessenger(context.messages, place);
    },
  });

/** The answering agent may need the slot. */
const lendingMessenger = (messages: Messenger, place: PoolSlot): Messenger => ({
  get names() {
    return messages.names;
  },
  saidWith: (other) => messages.saidWith(other),
  tell: (to, text, options) => messages.tell(to, text, options),
  ask: (to, text, options) => place.lend(() => messages.ask(to, text, options)),
  reply: (text, options) => messages.reply(text, options),
  broadcast: (text, options) => messages.broadcast(text, options),
  publish: (topic, text, options) => messages.publish(topic, text, options),
  subscribe: (topic, isOn) => {
    messages.subscribe(topic, isOn);
  },
});

const isTimeout = (reason: unknown): boolean => reason instanceof Error && reason.name === 'TimeoutError';

const failureOf = (thrown: unknown): ErrorData => {
  const status = statusOf(thrown);
  return errorData(thrown, 'tool.failed', status === undefined ? {} : { status });
};
