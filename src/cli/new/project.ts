/** Kinds of projects: one agent with a tool, or a team of two. Each is a folder of `examples/projects`. */
export const templates = ['agent', 'team'] as const;
export type Template = (typeof templates)[number];

/** Providers of models; with `none`, the environment decides, and without a key the offline model answers. */
export const modelProviders = ['none', 'openai', 'anthropic'] as const;
export type ModelProvider = (typeof modelProviders)[number];

/** A project as it was chosen. */
export interface Project {
  /** Of its package. */
  readonly name: string;
  readonly template: Template;
  readonly provider: ModelProvider;
  readonly isServed: boolean;
}
