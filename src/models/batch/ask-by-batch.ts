import { systemClock } from '../../base/clock.ts';
import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import type { SdkProtocol } from '../wire/ask-provider.ts';
import { noEvents } from '../wire/no-events.ts';
import { headersOf } from '../wire/provider-options.ts';
import { BatchMember } from './batch-member.ts';
import { BatchQueue } from './batch-queue.ts';
import type { BatchService } from './batch-service.ts';
import type { Batching } from './batching.ts';

/** Makes a provider's protocol one that asks by batches, with the same requests and readers. */
export type AskByBatch<Client> = <Event>(protocol: SdkProtocol<Client, Event>) => SdkProtocol<Client, Event>;

/** Makes the queue of a model whose calls are answered by batches. */
export const askByBatch = <Client>(
  who: ErrorContext,
  { windowMs = 1_000, size = 10_000, pollMs = 30_000, timeoutMs = 25 * 3_600_000 }: Batching,
  serviceOf: (client: Client) => BatchService,
): AskByBatch<Client> => {
  let queue: BatchQueue | undefined;
  return (protocol) => ({
    ...protocol,
    open: async (client, context, signal) => {
      queue ??= new BatchQueue(serviceOf(client), { who, windowMs, size, pollMs, timeoutMs });
      const { call } = context;
      const wait = call.longWait?.();
      const answer = queue.enter(
        new BatchMember({
          key: call.key,
          body: wholeAnswer(protocol.body(context)),
          headers: headersOf(context).headers,
          signal,
          clock: wait?.clock ?? systemClock,
          wait,
        }),
      );
      // Neither the run's concurrency nor the time limits of an attempt are meant for hours.
      const turn = wait?.during(answer) ?? answer;
      const body = await (call.inLine?.(turn) ?? turn);
      return { data: noEvents(), response: Response.json(body) };
    },
  });
};

/** A body that asks for the answer in one piece: nothing is streamed in a batch. */
const wholeAnswer = (given: object): JsonObject => {
  const body: unknown = JSON.parse(JSON.stringify(given));
  const { stream: _stream, stream_options: _options, ...rest } = isJsonObject(body) ? body : {};
  return rest;
};
