import type { InputOf, OutputOf } from '../../contracts/schema.ts';
import type { Described, InputSchemaOf, ValidDescription } from '../../contracts/signature.ts';
import { faceOf } from '../define/face.ts';
import { Draft } from './draft.ts';
import type { WorkflowOptions } from './plan.ts';
import type { WorkflowBuilder } from './workflow-builder.ts';

/** What a workflow is made of, beside its nodes. */
export interface WorkflowSetup<Input extends Described = undefined> extends WorkflowOptions {
  /** Schema of the input, or its fields: `'question: string'`. Without it the input is a string. It is looked at at once. */
  readonly input?: Input & ValidDescription<Input>;
}

/**
 * Begins a workflow: agents, teams and functions as nodes of a graph, each of which begins once those before it are through.
 *
 * What `build()` gives is an agent like any other, with a chart that shows each node: it runs, streams, is stored, embeds and
 * nests. Its result has the output of the node chosen, or of all by node, and in `state.nodes` what became of each.
 *
 * @example
 * const report = workflow({ name: 'report' })
 *   .node('search', researcher)
 *   .node('count', (text: string) => ({ words: text.split(/\s+/).length }), { after: 'search' })
 *   .node('write', writer, { input: ({ search, count }) => text`In ${count.words} words: ${search}` })
 *   .output('write')
 *   .build();
 * const { output } = await report.run('How do tides work?');
 */
export const workflow = <Input extends Described = undefined>({
  input,
  ...options
}: WorkflowSetup<Input>): WorkflowBuilder<
  InputOf<InputSchemaOf<Input, undefined>>,
  Readonly<Record<never, never>>,
  never,
  OutputOf<InputSchemaOf<Input, undefined>>
> =>
  new Draft<
    InputOf<InputSchemaOf<Input, undefined>>,
    Readonly<Record<never, never>>,
    never,
    OutputOf<InputSchemaOf<Input, undefined>>
  >({ options, input, nodes: [], edges: [], members: [], functions: {}, output: null }, faceOf);
