/** Purpose, usage and arguments of a command, beside the common options. */
export interface HelpText {
  readonly about: string;
  readonly usage: string;
  readonly text?: string;
  readonly options?: string;
  readonly examples: readonly string[];
}
