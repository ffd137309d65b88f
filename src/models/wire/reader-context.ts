import type { ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import { type ToolInputs, toolInputs } from '../calls/tool-inputs.ts';
import { type ToolNames, toolNames } from '../calls/tool-names.ts';
import { unwrapDeltas } from '../schemas/unwrap-deltas.ts';
import { type MediaBytes, readMedia } from './media-bytes.ts';

/** A request, with the mappings between our names and inputs and the provider's. */
export interface WireContext {
  readonly request: ModelRequest;
  readonly names: ToolNames;
  readonly inputs: ToolInputs;
  /** The bytes of its media. */
  readonly media: MediaBytes;
}

/** Facts of the request that a stream reader needs. */
export interface ReaderContext extends WireContext {
  readonly who: ErrorContext;
  readonly call: ModelCall;
}

/** The schemas that a server takes. */
export interface TakenSchemas {
  /** Keywords of JSON Schema that it refuses in the inputs of tools. */
  readonly refusedKeywords?: readonly string[] | undefined;
  /** Has OpenAI's strict mode. */
  readonly isStrict?: boolean | undefined;
}

/** Prepares a request for a provider: its names and inputs in the provider's terms, the bytes of its media. */
export const readerContext = async (
  who: ErrorContext,
  request: ModelRequest,
  call: ModelCall,
  { refusedKeywords, isStrict }: TakenSchemas = {},
): Promise<ReaderContext> => ({
  who,
  request,
  call: unwrapDeltas(call, request),
  names: toolNames(request.tools.map(({ name }) => name)),
  inputs: toolInputs(request.tools, refusedKeywords, isStrict),
  media: await readMedia(request, call),
});
