import type { Json, JsonObject, JsonSchema } from '../../base/json/json.ts';

/** A request of a model or an agent to use a tool. */
export interface ToolCall {
  /** Unique within a run: `call_<step>_<index>` once the runtime has numbered it. */
  readonly id: string;
  readonly name: string;
  readonly input: Json;
  /**
   * The reason why this call is invalid (malformed or truncated arguments): it gets a failed result, and is never
   * executed.
   */
  readonly problem?: string | undefined;
  /** Provider data that must be sent back with the call. */
  readonly origin?: CallOrigin | undefined;
}

/** A provider's own id of a call, and additional fields; read by that provider alone. */
export interface CallOrigin {
  readonly provider: string;
  /** The provider's id; absent where it gave none. */
  readonly id?: string | undefined;
  /** The model that made `fields`: they are useless to another. */
  readonly model?: string | undefined;
  /** Fields that are sent back unchanged: signatures, and others unknown here. */
  readonly fields?: JsonObject | undefined;
}

/** The description of a tool that a model sees. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}
