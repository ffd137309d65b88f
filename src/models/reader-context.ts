import type { ModelCall, ModelRequest } from '../contracts/model.ts';
import type { ErrorContext } from './retry/classify-error.ts';
import type { ToolInputs } from './tool-inputs.ts';
import type { ToolNames } from './tool-names.ts';

/** A question, and both directions between what we call things and what a provider accepts. */
export interface WireContext {
  readonly request: ModelRequest;
  readonly names: ToolNames;
  readonly inputs: ToolInputs;
}

/** The facts of the question that a reader of its stream has to know. */
export interface ReaderContext extends WireContext {
  readonly who: ErrorContext;
  readonly call: ModelCall;
}
