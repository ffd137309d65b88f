import type { Flow, FlowArrow } from '../../machines/diagrams/composition.ts';
import { OUTSIDE } from '../../machines/diagrams/composition.ts';
import type { EdgeKind, Graph, GraphNode } from './workflow-graph.ts';

/** A workflow's graph as the flow of its work: its edges as arrows, and of each node what sets it apart. */
export const graphFlow = ({ nodes, edges, output }: Graph): Flow => {
  const isAfterNone = ({ id }: GraphNode): boolean => !edges.some(({ to }) => to === id);
  const isBeforeNone = ({ id }: GraphNode): boolean => !edges.some(({ from }) => from === id);
  const last = output === null ? nodes.filter(isBeforeNone).map(({ id }) => id) : [output];
  return {
    arrows: [
      ...nodes.filter(isAfterNone).map(({ id }): FlowArrow => [OUTSIDE, id]),
      ...edges.map(({ from, to, kind }): FlowArrow => [from, to, WORDS[kind]]),
      ...last.map((id): FlowArrow => [id, OUTSIDE]),
    ],
    notes: Object.fromEntries(nodes.map((node) => [node.id, notesOn(node)])),
  };
};

const WORDS: Readonly<Record<EdgeKind, string>> = {
  data: '',
  completion: 'once it is done',
  condition: 'if its condition holds',
  'co-start': 'not before it',
};

const notesOn = ({ over, join, optional, held, isConditional }: GraphNode): readonly string[] => [
  ...(over === null ? [] : ['for each item']),
  ...(join === 'any' ? ['after any of them'] : []),
  ...(isConditional ? ['on a condition'] : []),
  ...(optional === null ? [] : ['optional']),
  ...(held ? ['held until released'] : []),
];
