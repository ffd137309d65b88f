import type { JsonObject } from '../../base/json/json.ts';

/** All that a tool which a client runs is made of, apart from its name. A type, as it is part of the JSON of events. */
export type ClientToolTerms = {
  /** `''` if the client says nothing of it. */
  readonly description: string;
  /** JSON Schema of its arguments. Default: none. */
  readonly parameters?: JsonObject | undefined;
  /** Asks the client for one call at a time. Default true. */
  readonly exclusive?: boolean | undefined;
  /** Time limit for the result of a call, in ms. Default: that of the run's `requests`. The shorter one counts. */
  readonly expireAfterMs?: number | undefined;
};

/** A tool that a client runs, as its protocol describes it. */
export type ClientTool = ClientToolTerms & { readonly name: string };

/** Notes on tools that clients run, which go on record: a resumed run has the tools again. */
export const clientToolNotes = new WeakMap<object, { readonly client: ClientToolTerms }>();
