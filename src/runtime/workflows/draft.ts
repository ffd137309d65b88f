import type { Agent } from '../../contracts/agents/agent.ts';
import { DEFAULT_RETRY } from '../../coordination/workflow/workflow-change.ts';
import type { EdgeKind, GraphNode } from '../../coordination/workflow/workflow-graph.ts';
import { conditionName } from '../../coordination/workflow/workflow-graph.ts';
import type { EmbeddableAgent } from '../define/embeddable-agent.ts';
import { faceOf } from '../define/face.ts';
import type { Doer, Plan } from './plan.ts';
import { plainTemplate, references } from './references.ts';
import type {
  MapOptions,
  NodeFunction,
  NodeOptions,
  WorkflowBuilder,
  WorkflowNode,
  WorkflowOutput,
  WorkflowState,
} from './workflow-builder.ts';
import { workflowDefinition } from './workflow-definition.ts';

/** Options of any kind of node without their types, which were checked at the call. */
type Tied = Omit<NodeOptions<never, never, never>, 'input' | 'after' | 'condition'> & {
  readonly input?: unknown;
  readonly after?: string | readonly string[] | undefined;
  readonly condition?: ((outputs: never) => boolean) | undefined;
  readonly over?: unknown;
  readonly concurrency?: number | undefined;
};

/** A workflow under construction: immutable, each call returns a new one. */
export class Draft<Input, Nodes, Chosen extends string, Read> implements WorkflowBuilder<
  Input,
  Nodes,
  Chosen,
  Read
> {
  readonly #plan: Plan;

  constructor(plan: Plan) {
    this.#plan = plan;
  }

  node<const Id extends string, Given, Output>(
    first: Id | WorkflowNode<Given, Output, Id>,
    second?: Agent<Given, Output, unknown> | NodeFunction<Given, Output> | NodeOptions<Read, Nodes, Given>,
    third?: NodeOptions<Read, Nodes, Given>,
  ): Draft<Input, Nodes & Readonly<Record<Id, Output>>, Chosen, Read> {
    if (typeof first !== 'string') return this.#with(first.id, first.agent, second as Tied | undefined);
    return this.#with(first, second as Doer, third);
  }

  map<const Id extends string, Given, Output, Item>(
    id: Id,
    doer: Agent<Given, Output, unknown> | NodeFunction<Given, Output>,
    options: MapOptions<Read, Nodes, Given, Item>,
  ): Draft<Input, Nodes & Readonly<Record<Id, readonly Output[]>>, Chosen, Read> {
    return this.#with(id, doer, options);
  }

  edge(
    from: string,
    to: string,
    kind: EdgeKind | { readonly when: (output: never, input: never) => boolean } = 'data',
  ): Draft<Input, Nodes, Chosen, Read> {
    const { edges, functions } = this.#plan;
    if (typeof kind === 'string') return this.#next({ edges: [...edges, { from, to, kind }] });
    const { when } = kind;
    return this.#next({
      edges: [...edges, { from, to, kind: 'condition' }],
      functions: {
        ...functions,
        // The node's output has the type of the condition's parameter.
        [conditionName(to, from)]: (output = null, input = null) => when(output as never, input as never),
      },
    });
  }

  edges(
    edges: readonly (readonly [from: string, to: string, kind?: EdgeKind])[],
  ): Draft<Input, Nodes, Chosen, Read> {
    const added = edges.map(([from, to, kind = 'data']) => ({ from, to, kind }));
    return this.#next({ edges: [...this.#plan.edges, ...added] });
  }

  spare(name: string, agent: Agent<never, unknown, unknown>): Draft<Input, Nodes, Chosen, Read> {
    return this.#next({ members: [...this.#plan.members, [name, agent]] });
  }

  output<const Id extends keyof Nodes & string>(id: Id): Draft<Input, Nodes, Id, Read> {
    return this.#next({ output: id });
  }

  build(): EmbeddableAgent<Input, WorkflowOutput<Nodes, Chosen>, WorkflowState<Nodes>> {
    return faceOf(workflowDefinition(this.#plan));
  }

  #with<More, Next extends string = Chosen>(
    id: string,
    doer: Doer,
    given: Tied = {},
  ): Draft<Input, More, Next, Read> {
    const { nodes, edges, members, functions, given: before } = this.#plan;
    const { condition, after = [] } = given;
    const added = [after].flat().map((from) => ({ from, to: id, kind: 'data' as const }));
    return this.#next({
      nodes: [...nodes, nodeFrom(id, given)],
      given: [...before, [id, given]],
      edges: [...edges, ...added],
      members: [...members, [id, doer]],
      functions:
        condition === undefined
          ? functions
          : { ...functions, [conditionName(id)]: (outputs = null) => condition(outputs as never) },
    });
  }

  #next<More, Next extends string>(change: Partial<Plan>): Draft<Input, More, Next, Read> {
    return new Draft({ ...this.#plan, ...change });
  }
}

const nodeFrom = (id: string, given: Tied): GraphNode => ({
  id,
  member: id,
  input: templateFrom(given.input),
  over: templateFrom(given.over),
  concurrency: given.concurrency ?? null,
  retry: given.retry ?? DEFAULT_RETRY,
  exhausted: given.exhausted ?? 'fail',
  optional: given.optional === 'skip' ? 'skip' : given.optional === true ? 'continue' : null,
  held: given.held ?? false,
  join: given.join ?? 'all',
  timeMs: given.timeMs ?? null,
  isConditional: given.condition !== undefined,
});

const templateFrom = (given: unknown): GraphNode['input'] => {
  if (given === undefined) return null;
  return { value: plainTemplate(typeof given === 'function' ? given(references()) : given) };
};
