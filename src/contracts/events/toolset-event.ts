import type { ErrorData } from '../errors/error-data.ts';

/** The events of toolsets, by type. */
export interface ToolsetEvents {
  /** A set whose tools are found when it is opened, as those of a server are. */
  'toolset.opened': {
    readonly toolset: string;
    /** One fingerprint for the whole list. */
    readonly hash: string;
    /** The fingerprint of each tool's definition, by its name in the set. */
    readonly tools: Readonly<Record<string, string>>;
    /** The reason for each tool that was left out, or that is held. */
    readonly refused?: Readonly<Record<string, string>> | undefined;
  };
  'toolset.failed': { readonly toolset: string; readonly error: ErrorData };
}
