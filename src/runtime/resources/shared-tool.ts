import type { ErrorData } from '../../contracts/error.ts';
import type { Messenger } from '../../contracts/message.ts';
import { errorData } from '../../contracts/error.ts';
import type { Tool, ToolContext } from '../../contracts/tool.ts';
import { statusOf } from '../../tools/classify-tool-error.ts';
import { wrapContext } from '../../tools/wrap-context.ts';
import { withExecute } from '../../tools/with-execute.ts';
import type { Place } from './concurrency-pool.ts';
import type { SharedBy } from './entrance.ts';
import { sharedCall } from './shared-call.ts';

/**
 * A tool whose calls share a rate limit, a pool, a breaker with those of others, in this run and in all others.
 *
 * A call that runs an agent, or asks a person or another agent, gives its place away meanwhile. The tool's time-out includes its wait in line. A call
 * that is refused is a failed result, tried again as the tool's `retry` has it.
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

/** While others work for it, the call needs no place. */
const lending = (context: ToolContext, place: Place): ToolContext =>
  wrapContext(context, {
    run: (agent, input, options) => place.lend(() => context.run(agent, input, options)),
    ask: (question) => place.lend(() => context.ask(question)),
    get messages() {
      return lendingMessenger(context.messages, place);
    },
  });

/** Who is asked may need a place to answer. */
const lendingMessenger = (messages: Messenger, place: Place): Messenger => ({
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
