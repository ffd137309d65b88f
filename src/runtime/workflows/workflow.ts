import { isObject } from '../../base/schemas/option-schemas.ts';
import type { InputOf, KeptOf } from '../../base/schemas/schema.ts';
import type { Described, InputSchemaOf, ValidDescription } from '../../contracts/agents/signature.ts';
import { refusedOptions } from '../../contracts/errors/check-options.ts';
import type { TroupeError } from '../../contracts/errors/error.ts';
import { foundText } from '../../contracts/errors/found-text.ts';
import { Draft } from './draft.ts';
import type { WorkflowOptions } from './plan.ts';
import { emptyPlan } from './plan.ts';
import type { WorkflowBuilder } from './workflow-builder.ts';

/** Options of {@link workflow}. */
export interface WorkflowSetup<Input extends Described = undefined> extends WorkflowOptions {
  /** Schema of the input, or its fields: `'question: string'`; it has to validate synchronously. Without it the input is a string. */
  readonly input?: Input & ValidDescription<Input>;
}

/**
 * Starts the definition of a workflow: agents, teams and functions as nodes of a graph, each of which starts when those before it are done.
 *
 * `build()` returns an agent like any other, with a chart that shows each node: it runs, streams, is stored, embeds and nests. Its result
 * has the output of the selected node, or of all by node, and the result of each node in `state.nodes`.
 *
 * @example
 * const report = workflow({ name: 'report' })
 * .node('search', researcher)
 * .node('count', (text: string) => ({ words: text.split(/\s+/).length }), { after: 'search' })
 * .node('write', writer, { input: ({ search, count }) => text`In ${count.words} words: ${search}` })
 * .output('write')
 * .build();
 * const { output } = await report.run('How do tides work?');
 */
export const workflow = <Input extends Described = undefined>(
  setup: WorkflowSetup<Input>,
): WorkflowBuilder<
  InputOf<InputSchemaOf<Input, undefined>>,
  Readonly<Record<never, never>>,
  never,
  KeptOf<InputSchemaOf<Input, undefined>>
> => {
  if (!isObject(setup)) throw noSetup(setup);
  const { input, ...options } = setup;
  return new Draft<
    InputOf<InputSchemaOf<Input, undefined>>,
    Readonly<Record<never, never>>,
    never,
    KeptOf<InputSchemaOf<Input, undefined>>
  >(emptyPlan(options, input));
};

const noSetup = (given: unknown): TroupeError =>
  refusedOptions([`its options are not an object: found ${foundText(given)}`], {
    code: 'team.invalid',
    owner: 'a workflow',
  });
