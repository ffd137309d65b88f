import type { ModelCall, ModelRequest } from '../../contracts/models/model.ts';
import type { ErrorContext } from '../retry/classify-error.ts';
import type { ToolInputs } from '../calls/tool-inputs.ts';
import type { ToolNames } from '../calls/tool-names.ts';
import type { MediaBytes } from './media-bytes.ts';

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
