import type { ModelAnswer, ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { othersOptions } from './others-options.ts';
import { type OpenedStream, readAnswer, type StreamReader } from './provider-stream.ts';
import { type ReaderContext, readerContext, type TakenSchemas } from './reader-context.ts';
import { withOmitted } from './sent-settings.ts';

/** Asks a provider and reads its answers. */
export interface SdkProtocol<Client, Event> extends TakenSchemas {
  /** The body of a request. */
  body(context: ReaderContext): object;
  /** Sends one request; resolves when the headers are there. */
  open(client: Client, context: ReaderContext, signal: AbortSignal): Promise<OpenedStream<Event>>;
  reader(context: ReaderContext): StreamReader<Event>;
  /** The settings that a request is sent without, each with the reason. */
  omitted(request: ModelRequest): Readonly<Record<string, string>>;
  /** Its own error codes, with the code that each maps to. */
  readonly codes?: ErrorContext['codes'];
}

/** Asks a provider by its protocol, reads the answer, and notes the settings that it was sent without. */
export const askProvider = async <Client, Event>(
  who: ErrorContext,
  protocol: SdkProtocol<Client, Event>,
  connect: () => Promise<Client>,
  request: ModelRequest,
  call: ModelCall,
): Promise<ModelAnswer> => {
  const context = await readerContext(who, request, call, protocol);
  const answer = await readAnswer(
    who,
    call,
    async (signal) => protocol.open(await connect(), context, signal),
    protocol.reader(context),
  );
  const omitted = { ...protocol.omitted(request), ...othersOptions(request.settings, who.provider) };
  return withOmitted(answer, omitted);
};
