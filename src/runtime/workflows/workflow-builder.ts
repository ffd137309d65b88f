import type { Agent } from '../../contracts/agents/agent.ts';
import type { Json } from '../../base/json/json.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { EmbeddableAgent } from '../define/embeddable-agent.ts';
import type { NodeResult } from '../../coordination/workflow/workflow-end.ts';
import type { EdgeKind } from '../../coordination/workflow/workflow-graph.ts';

/** An agent or team as a node. */
export interface WorkflowNode<Input = string, Output = string, Id extends string = string> {
  readonly id: Id;
  readonly agent: Agent<Input, Output, unknown>;
  /**
   * Runs it by itself and returns its output.
   *
   * @throws {TroupeError} `workflow.failed` if it ended without one, and whatever its run rejects with.
   */
  run(input: Input, options?: RunOptions): Promise<Output>;
}

/** Distinguishes references from other values, in types too. */
export const REFERS: unique symbol = Symbol('troupe.refers');

/** Stands for a value of the running workflow; within a text, for that value as text. */
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

/** A value of type `T` that may be or contain references. */
export type Template<T> =
  | T
  | Reference<T>
  | ReferenceText
  | (T extends readonly (infer Item)[]
      ? readonly Template<Item>[]
      : T extends object
        ? { readonly [Key in keyof T]: Template<T[Key]> }
        : never);

/** A reference as text: `'${search.title}'`. */
export type ReferenceText = `\${${string}}`;

/** Values that a node's input may refer to: the workflow's input, and the outputs of nodes. */
export type From<Input, Nodes> = { readonly input: ReferenceTo<Input> } & {
  readonly [Id in keyof Nodes]: ReferenceTo<Nodes[Id]>;
};

/** Values that conditions see: the workflow's input, and the outputs of finished nodes. */
export type Outputs<Input, Nodes> = { readonly input: Input } & { readonly [Id in keyof Nodes]?: Nodes[Id] };

/** Second parameter of a node's function. */
export interface NodeScope {
  /** Aborted when the node is cancelled. */
  readonly signal: AbortSignal;
  /** The caller's `context` of the run: validate it before use. */
  readonly context: unknown;
}

/** A function that executes a node; it may be asynchronous, and runs outside the machine. */
export type NodeFunction<Given, Output> = (given: Given, scope: NodeScope) => Output | Promise<Output>;

/** Options of a node. */
export interface NodeOptions<Input, Nodes, Given, Sources = From<Input, Nodes>> {
  /**
   * The input: a value that may contain references, or a function from references to such a value, called once when the workflow is
   * defined. Default: the outputs of the nodes before it, or the workflow's input if there are none.
   */
  readonly input?: Template<Given> | ((from: Sources) => Template<Given>) | undefined;
  /** Nodes before it, whose outputs it receives; nodes that its input refers to precede it in any case. */
  readonly after?: (keyof Nodes & string) | readonly (keyof Nodes & string)[] | undefined;
  /** Number of retries. Default 2. */
  readonly retry?: number | undefined;
  /** After the last retry the node fails (default), or is held until it is released or dropped. */
  readonly exhausted?: 'fail' | 'hold' | undefined;
  /** Continues the workflow if the node fails: later nodes receive null (`true`), or are skipped (`'skip'`). Default false. */
  readonly optional?: boolean | 'skip' | undefined;
  /** Starts only when it is released. Default false. */
  readonly held?: boolean | undefined;
  /** Pure predicate: the node is skipped if it returns false at its turn. */
  readonly condition?: ((outputs: Outputs<Input, Nodes>) => boolean) | undefined;
  /** Time limit of one attempt, waits for people included, in ms; then it is stopped and retried. Default: unlimited. */
  readonly timeMs?: number | undefined;
  /** Incoming edges that have to be satisfied: all (default), or any. */
  readonly join?: 'all' | 'any' | undefined;
}

/** Options of a node that maps over a list. */
export interface MapOptions<Input, Nodes, Given, Item> extends NodeOptions<
  Input,
  Nodes,
  Given,
  From<Input, Nodes> & { readonly item: ReferenceTo<Item>; readonly index: ReferenceTo<number> }
> {
  /** The list, or a reference to one. */
  readonly over: Template<readonly Item[]> | ((from: From<Input, Nodes>) => Template<readonly Item[]>);
  /** Number of concurrent items. Default: the workflow's limit. */
  readonly concurrency?: number | undefined;
}

/** The result of each node: also the `state` of the workflow's result. */
export type WorkflowState<Nodes = Readonly<Record<string, Json>>> = {
  readonly nodes: {
    readonly [Id in keyof Nodes]: Omit<NodeResult, 'output'> & { readonly output: Nodes[Id] | null };
  };
};

/** The output of a workflow: that of the selected node, otherwise of all by node; null for a skipped node. */
export type WorkflowOutput<Nodes, Chosen extends string> = [Chosen] extends [never]
  ? { readonly [Id in keyof Nodes]: Nodes[Id] | null }
  : Nodes[Chosen & keyof Nodes];

/** The type of what is recorded of a function's result: null for none. What JSON does not hold fails the node. */
type Recorded<Output> = Output extends undefined | void ? null : Output;

type With<Nodes, Id extends string, Output> = Nodes & Readonly<Record<Id, Output>>;

/**
 * A workflow under construction: every call returns a new builder, and `build()` the workflow.
 *
 * The compiler checks ids and fields that are used through `from`; `build()` checks everything.
 */
export interface WorkflowBuilder<Input, Nodes, Chosen extends string = never, Read = Input> {
  /** Adds a node executed by an agent or a team. */
  node<const Id extends string, Given, Output>(
    id: Id,
    agent: Agent<Given, Output, unknown>,
    options?: NodeOptions<Read, Nodes, Given>,
  ): WorkflowBuilder<Input, With<Nodes, Id, Output>, Chosen, Read>;
  /** Adds a node executed by a function, whose result has to be plain JSON. */
  node<const Id extends string, Output, Given = Json>(
    id: Id,
    work: NodeFunction<Given, Output>,
    options?: NodeOptions<Read, Nodes, Given>,
  ): WorkflowBuilder<Input, With<Nodes, Id, Recorded<Output>>, Chosen, Read>;
  /** Adds the result of `toWorkflowNode`. */
  node<const Id extends string, Given, Output>(
    node: WorkflowNode<Given, Output, Id>,
    options?: NodeOptions<Read, Nodes, Given>,
  ): WorkflowBuilder<Input, With<Nodes, Id, Output>, Chosen, Read>;
  /** Adds a node executed once per item of a list; its output is a list in the same order. */
  map<const Id extends string, Given, Output, Item = Given>(
    id: Id,
    agent: Agent<Given, Output, unknown>,
    options: MapOptions<Read, Nodes, Given, Item>,
  ): WorkflowBuilder<Input, With<Nodes, Id, readonly Output[]>, Chosen, Read>;
  map<const Id extends string, Output, Given = Json, Item = Given>(
    id: Id,
    work: NodeFunction<Given, Output>,
    options: MapOptions<Read, Nodes, Given, Item>,
  ): WorkflowBuilder<Input, With<Nodes, Id, readonly Recorded<Output>[]>, Chosen, Read>;
  /** Connects two nodes; see `EdgeKind`. `when` is a pure condition on the output of `from`. Default `data`. */
  edge<From extends keyof Nodes & string>(
    from: From,
    to: keyof Nodes & string,
    kind?: Exclude<EdgeKind, 'condition'> | { readonly when: (output: Nodes[From], input: Read) => boolean },
  ): WorkflowBuilder<Input, Nodes, Chosen, Read>;
  /** Connects nodes, by `data` where no kind is given. */
  edges(
    edges: readonly (readonly [
      from: keyof Nodes & string,
      to: keyof Nodes & string,
      kind?: Exclude<EdgeKind, 'condition'>,
    ])[],
  ): WorkflowBuilder<Input, Nodes, Chosen, Read>;
  /** Adds a member without a node, for nodes that are added while the workflow runs. */
  spare(name: string, agent: Agent<never, unknown, unknown>): WorkflowBuilder<Input, Nodes, Chosen, Read>;
  /** Selects the output of one node as that of the workflow. Default: all outputs, by node. */
  output<const Id extends keyof Nodes & string>(id: Id): WorkflowBuilder<Input, Nodes, Id, Read>;
  /**
   * Builds the workflow: an agent like any other.
   *
   * @throws {TroupeError} `workflow.invalid` with everything that is wrong with it: unknown or doubled ids, circles, options.
   */
  build(): EmbeddableAgent<Input, WorkflowOutput<Nodes, Chosen>, WorkflowState<Nodes>>;
}
