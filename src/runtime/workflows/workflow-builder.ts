import type { Agent } from '../../contracts/agent.ts';
import type { Json } from '../../contracts/json.ts';
import type { RunOptions } from '../../contracts/run.ts';
import type { AgentLogic, LogicChart, TeamChart } from '../embed/agent-types.ts';
import type { LogicOptions } from '../embed/logic-options.ts';
import type { NodeResult } from '../../coordination/workflow/workflow-end.ts';
import type { EdgeKind } from '../../coordination/workflow/workflow-graph.ts';

/** An agent or team that can also be embedded in an XState app. */
export interface EmbeddableAgent<
  Input = string,
  Output = string,
  State = Json,
  Chart extends LogicChart = TeamChart,
> extends Agent<Input, Output, State> {
  /** Its logic for XState: an actor of it is a run, with the defaults of `run`. */
  readonly logic: AgentLogic<Input, Output, Chart>;
  /**
   * Its logic with what its runs are told beside their input: a store, a thread, a context, a model, a budget … Each actor of it
   * is a run of its own; React keeps an actor whose logic is made anew in each render.
   *
   * @example
   * const logic = clerk.logicWith({ store, thread: user.id, onStop: 'suspend' });
   * const actor = createActor(logic, { input: 'Book the room.' });
   *
   * @throws {TroupeError} `agent.invalid` for `onStop: 'suspend'` without a store.
   */
  logicWith(options: LogicOptions): AgentLogic<Input, Output, Chart>;
  /**
   * This agent as a node for workflows, under an id of its own if it is given one.
   *
   * @example
   * workflow({ name: 'report' }).node(writer.toWorkflowNode('draft'));
   */
  toWorkflowNode<const Id extends string = string>(id?: Id): WorkflowNode<Input, Output, Id>;
  /**
   * A workflow with this agent for its only node, to be built or gone on with.
   *
   * @example
   * const { output } = await writer.toWorkflow('draft').build().run('tides');
   */
  toWorkflow<const Id extends string = string>(
    id?: Id,
  ): WorkflowBuilder<Input, Readonly<Record<Id, Output>>, Id>;
}

/** An agent or team as a node: what it gives is its output itself. */
export interface WorkflowNode<Input = string, Output = string, Id extends string = string> {
  readonly id: Id;
  readonly agent: Agent<Input, Output, unknown>;
  /**
   * Runs it by itself, and gives its output.
   *
   * @throws {TroupeError} `workflow.failed` if it ended without one, and whatever its run rejects with.
   */
  run(input: Input, options?: RunOptions): Promise<Output>;
}

/** What tells a reference from every other value, for the type checker too. */
export const REFERS: unique symbol = Symbol('troupe.refers');

/** Stands for a value that there is once the workflow runs; in a text, for what it reads as. */
export interface Reference<out T> {
  readonly [REFERS]: () => T;
  toString(): string;
}

/** A reference to a value of type `T`, and references to its fields. */
export type ReferenceTo<T> = Reference<T> &
  (T extends readonly (infer Item)[]
    ? { at(index: number): ReferenceTo<Item> }
    : T extends object
      ? { readonly [Key in keyof T]-?: ReferenceTo<T[Key]> }
      : unknown);

/** A value of type `T`, parts or all of which may be references. */
export type Template<T> =
  | T
  | Reference<T>
  | ReferenceText
  | (T extends readonly (infer Item)[]
      ? readonly Template<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Template<T[Key]> }
        : never);

/** A reference as it is written: `'${search.title}'`. */
export type ReferenceText = `\${${string}}`;

/** What inputs of nodes may refer to: the workflow's input, and what nodes left. */
export type From<Input, Nodes> = { readonly input: ReferenceTo<Input> } & {
  readonly [Id in keyof Nodes]: ReferenceTo<Nodes[Id]>;
};

/** What conditions see: the workflow's input, and what those nodes left that are through. */
export type Outputs<Input, Nodes> = { readonly input: Input } & { readonly [Id in keyof Nodes]?: Nodes[Id] };

/** What is told of a node's run to the function that does it. */
export interface NodeScope {
  /** Aborted when nobody waits for it any more. */
  readonly signal: AbortSignal;
  /** What the caller of the run gave as `context`: check what it is before use. */
  readonly context: unknown;
}

/** A function that does the work of a node: it may be asynchronous, and is called outside of the machine. */
export type NodeFunction<Given, Output> = (given: Given, scope: NodeScope) => Output | Promise<Output>;

/** How a node is tied in. */
export interface NodeOptions<Input, Nodes, Given, Sources = From<Input, Nodes>> {
  /**
   * What it works on: a value with references in it, or a function that makes one of references. It is called once, when the
   * workflow is defined: what it gives holds references, not values. Default: what the nodes before it left, or the
   * workflow's input if there are none.
   */
  readonly input?: Template<Given> | ((from: Sources) => Template<Given>) | undefined;
  /** Nodes that come before it, and whose output it is given; those that its input refers to come before it anyway. */
  readonly after?: (keyof Nodes & string) | readonly (keyof Nodes & string)[] | undefined;
  /** The number of times that it is tried again. Default 2. */
  readonly retry?: number | undefined;
  /** What becomes of it once its tries are used up: it fails (default), or is held until somebody releases or drops it. */
  readonly exhausted?: 'fail' | 'hold' | undefined;
  /** Its failure ends nothing: what comes after it goes on with null (`true`), or is skipped (`'skip'`). Default false. */
  readonly optional?: boolean | 'skip' | undefined;
  /** It begins only when it is released. Default false. */
  readonly held?: boolean | undefined;
  /** Pure: whether it is done at all, once it is its turn. */
  readonly condition?: ((outputs: Outputs<Input, Nodes>) => boolean) | undefined;
  /** The time that one try may take, in ms; then it is stopped, and tried again. Default: as long as it takes. */
  readonly timeMs?: number | undefined;
  /** The edges into it that have to hold: all (default), or one of them. */
  readonly join?: 'all' | 'any' | undefined;
}

/** How a node is tied in that goes over a list. */
export interface MapOptions<Input, Nodes, Given, Item> extends NodeOptions<
  Input,
  Nodes,
  Given,
  From<Input, Nodes> & { readonly item: ReferenceTo<Item>; readonly index: ReferenceTo<number> }
> {
  /** The list: a reference to one, or the list itself. */
  readonly over: Template<readonly Item[]> | ((from: From<Input, Nodes>) => Template<readonly Item[]>);
  /** Items under way together. Default: as many as the workflow allows. */
  readonly concurrency?: number | undefined;
}

/** What is left of each node of a workflow: also the `state` of its result. */
export type WorkflowState<Nodes = Readonly<Record<string, Json>>> = {
  readonly nodes: {
    readonly [Id in keyof Nodes]: Omit<NodeResult, 'output'> & { readonly output: Nodes[Id] | null };
  };
};

/** What a workflow gives: of the node that was chosen, else of all, by node; null where one was skipped. */
export type WorkflowOutput<Nodes, Chosen extends string> = [Chosen] extends [never]
  ? { readonly [Id in keyof Nodes]: Nodes[Id] | null }
  : Nodes[Chosen & keyof Nodes];

type With<Nodes, Id extends string, Output> = Nodes & Readonly<Record<Id, Output>>;

/**
 * A workflow in the making: every call gives another builder, and `build()` the workflow.
 *
 * Ids and fields are checked by the compiler where nodes are referred to by `from`, and all of it when it is built.
 */
export interface WorkflowBuilder<Input, Nodes, Chosen extends string = never, Read = Input> {
  /** Adds a node that an agent or a team does. */
  node<const Id extends string, Given, Output>(
    id: Id,
    agent: Agent<Given, Output, unknown>,
    options?: NodeOptions<Read, Nodes, Given>,
  ): WorkflowBuilder<Input, With<Nodes, Id, Output>, Chosen, Read>;
  /** Adds a node that a function does. */
  node<const Id extends string, Output, Given = Json>(
    id: Id,
    work: NodeFunction<Given, Output>,
    options?: NodeOptions<Read, Nodes, Given>,
  ): WorkflowBuilder<Input, With<Nodes, Id, Output>, Chosen, Read>;
  /** Adds what `toWorkflowNode` gives. */
  node<const Id extends string, Given, Output>(
    node: WorkflowNode<Given, Output, Id>,
    options?: NodeOptions<Read, Nodes, Given>,
  ): WorkflowBuilder<Input, With<Nodes, Id, Output>, Chosen, Read>;
  /** Adds a node that is done once for each item of a list; it gives a list in the order of the items. */
  map<const Id extends string, Given, Output, Item = Given>(
    id: Id,
    agent: Agent<Given, Output, unknown>,
    options: MapOptions<Read, Nodes, Given, Item>,
  ): WorkflowBuilder<Input, With<Nodes, Id, readonly Output[]>, Chosen, Read>;
  map<const Id extends string, Output, Given = Json, Item = Given>(
    id: Id,
    work: NodeFunction<Given, Output>,
    options: MapOptions<Read, Nodes, Given, Item>,
  ): WorkflowBuilder<Input, With<Nodes, Id, readonly Output[]>, Chosen, Read>;
  /** Ties two nodes together; see `EdgeKind`. With `when` it is a condition on what `from` left: pure. Default `data`. */
  edge<From extends keyof Nodes & string>(
    from: From,
    to: keyof Nodes & string,
    kind?: Exclude<EdgeKind, 'condition'> | { readonly when: (output: Nodes[From], input: Read) => boolean },
  ): WorkflowBuilder<Input, Nodes, Chosen, Read>;
  /** Ties nodes together, by `data` where no kind is named. */
  edges(
    edges: readonly (readonly [
      from: keyof Nodes & string,
      to: keyof Nodes & string,
      kind?: Exclude<EdgeKind, 'condition'>,
    ])[],
  ): WorkflowBuilder<Input, Nodes, Chosen, Read>;
  /** A member without a node: for nodes that are added while it runs. */
  spare(name: string, agent: Agent<never, unknown, unknown>): WorkflowBuilder<Input, Nodes, Chosen, Read>;
  /** Makes the output of one node that of the workflow. Default: what all of them left, by node. */
  output<const Id extends keyof Nodes & string>(id: Id): WorkflowBuilder<Input, Nodes, Id, Read>;
  /**
   * The workflow: an agent like any other.
   *
   * @throws {TroupeError} `workflow.invalid` with everything that is wrong with it: unknown or doubled ids, circles, options.
   */
  build(): EmbeddableAgent<Input, WorkflowOutput<Nodes, Chosen>, WorkflowState<Nodes>>;
}
