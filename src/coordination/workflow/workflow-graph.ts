import type { Json } from '../../base/json/json.ts';
import { INPUT, ITEM_REFERENCES, referencesIn } from './workflow-reference.ts';

/**
 * The relation of a node to one before it.
 *
 * - `data`: it begins once the other is completed, and works on what that left.
 * - `completion`: it begins once the other is completed, and receives nothing of it.
 * - `condition`: as `data`, if a condition on what the other left holds; else it is skipped.
 * - `co-start`: it begins no sooner than the other.
 */
export type EdgeKind = 'data' | 'completion' | 'condition' | 'co-start';

/** One node as data; what is null is not set. */
export type GraphNode = {
  readonly id: string;
  /** The member that does its work. */
  readonly member: string;
  /** Its input, with references to be resolved when it begins; null: what the nodes before it left. */
  readonly input: { readonly value: Json } | null;
  /** A list, or a reference to one: the node is done once for each item. */
  readonly over: { readonly value: Json } | null;
  /** Items under way together; null: as many as the workflow allows. */
  readonly concurrency: number | null;
  /** The number of times that it is tried again. */
  readonly retry: number;
  /** The consequence for a node whose tries are used up. */
  readonly exhausted: 'fail' | 'hold';
  /** The way of a node whose failure is only flagged: what comes after it continues, or is skipped. Null for all others. */
  readonly optional: 'continue' | 'skip' | null;
  /** It begins only when it is released. */
  readonly held: boolean;
  /** The nodes before it that have to be through: all, or one of them. */
  readonly join: 'all' | 'any';
  /** The most that one try may take, in ms. */
  readonly timeMs: number | null;
  /** It has a condition of its own. */
  readonly isConditional: boolean;
};

/** An edge as data. */
export type GraphEdge = { readonly from: string; readonly to: string; readonly kind: EdgeKind };

/** A workflow as data: what its machine goes by. */
export type Graph = {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** The node whose output is the workflow's; null: all of them, by node. */
  readonly output: string | null;
  /** `strict` ends it at the first failure; `partial` does what can be done. */
  readonly mode: 'strict' | 'partial';
  /** Members under way together. */
  readonly concurrency: number;
  /** The time that a held node waits to be released, in ms. */
  readonly resolveMs: number;
  /** The part of a budget from which nothing new begins. */
  readonly holdAt: number;
};

/** The name of the function behind a node's own condition, or behind that of an edge. */
export const conditionName = (to: string, from?: string): string =>
  from === undefined ? `when:${to}` : `when:${from}:${to}`;

/** The data edges that a node's references stand for. */
export const impliedEdges = (node: Pick<GraphNode, 'id' | 'input' | 'over'>): readonly GraphEdge[] => {
  const named = [node.input, node.over].flatMap((template) =>
    template === null ? [] : referencesIn(template.value).map(({ node: from }) => from),
  );
  return [...new Set(named)]
    .filter((from) => from !== INPUT && !ITEM_REFERENCES.has(from))
    .map((from) => ({ from, to: node.id, kind: 'data' }));
};

/** Nodes in an order in which each comes after all before it, by Kahn; those of a circle and behind it are left out. */
export const kahnOrder = (
  nodes: readonly Pick<GraphNode, 'id'>[],
  edges: readonly Pick<GraphEdge, 'from' | 'to'>[],
): readonly string[] => {
  const open = new Map(nodes.map(({ id }) => [id, 0]));
  const after = new Map<string, string[]>();
  for (const { from, to } of edges) {
    if (!open.has(from) || !open.has(to)) continue;
    open.set(to, (open.get(to) ?? 0) + 1);
    const known = after.get(from);
    if (known === undefined) after.set(from, [to]);
    else known.push(to);
  }
  const order = nodes.flatMap(({ id }) => (open.get(id) === 0 ? [id] : []));
  for (const id of order)
    for (const next of after.get(id) ?? []) {
      const left = (open.get(next) ?? 0) - 1;
      open.set(next, left);
      if (left === 0) order.push(next);
    }
  return order;
};

/** A circle among the nodes, as `a → b → a`; undefined where there is none. */
export const cycleIn = (
  nodes: readonly Pick<GraphNode, 'id'>[],
  edges: readonly Pick<GraphEdge, 'from' | 'to'>[],
): string | undefined => {
  const ordered = new Set(kahnOrder(nodes, edges));
  const left = new Set(nodes.flatMap(({ id }) => (ordered.has(id) ? [] : [id])));
  // Every remaining node has a remaining one before it: walking backwards must come round.
  const trail: string[] = [];
  let [at] = left;
  while (at !== undefined && !trail.includes(at)) {
    trail.push(at);
    const here = at;
    at = edges.find(({ from, to }) => to === here && left.has(from))?.from;
  }
  return at === undefined ? undefined : [at, ...trail.slice(trail.indexOf(at)).toReversed()].join(' → ');
};

/** Everything that keeps a graph from being carried out, one readable line each; empty if nothing does. */
export const graphProblems = ({ nodes, edges, output }: Graph): readonly string[] => {
  const ids = nodes.map(({ id }) => id);
  const known = new Set(ids);
  const list = `the nodes are ${ids.map((id) => `'${id}'`).join(', ')}`;
  const unknown = (id: string, where: string): readonly string[] =>
    known.has(id) ? [] : [`${where} names '${id}', which there is not (${list})`];
  if (ids.length === 0) return ['it has no nodes'];
  const circle = cycleIn(nodes, edges);
  return [
    ...ids.filter((id, index) => ids.indexOf(id) < index).map((id) => `several nodes have the id '${id}'`),
    ...nodes.flatMap((node) => [
      ...(node.id === INPUT || ITEM_REFERENCES.has(node.id)
        ? [`a node cannot be called '${node.id}', which references mean something else by`]
        : []),
      ...impliedEdges(node).flatMap(({ from }) => unknown(from, `the input of '${node.id}'`)),
      ...(node.over === null && node.input !== null
        ? referencesIn(node.input.value)
            .filter(({ node: from }) => ITEM_REFERENCES.has(from))
            .map(({ text }) => `the input of '${node.id}' refers to ${text}, and it goes over no list`)
        : []),
    ]),
    ...edges.flatMap(({ from, to, kind }) => [
      ...unknown(from, `the ${kind} edge to '${to}'`),
      ...unknown(to, `the ${kind} edge from '${from}'`),
    ]),
    ...(output === null ? [] : unknown(output, 'the output')),
    ...(circle === undefined ? [] : [`its nodes go round in a circle: ${circle}`]),
  ].filter((problem, index, all) => all.indexOf(problem) === index);
};
