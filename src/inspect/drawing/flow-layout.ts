import { Graph, layout } from '@dagrejs/dagre';

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Rectangle extends Point {
  readonly width: number;
  readonly height: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A line from one part to another, with room for a text. */
export interface FlowLine extends Size {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  /** Minimum number of rows that it spans downwards. */
  readonly rows?: number | undefined;
}

/** The layout: parts by id, lines by name. */
export interface FlowLayout extends Size {
  readonly parts: ReadonlyMap<string, Rectangle>;
  readonly lines: ReadonlyMap<string, { readonly points: readonly Point[]; readonly label: Rectangle }>;
}

/** Fields that the library writes into its input; its own declarations do not compile everywhere. */
interface Placed {
  readonly x?: number;
  readonly y?: number;
  readonly width?: number;
  readonly height?: number;
  readonly points?: readonly Point[];
}

interface DagreGraph {
  setGraph(options: object): void;
  setNode(id: string, size: object): void;
  setEdge(from: string, to: string, options: object, name: string): void;
  node(id: string): Placed;
  edge(from: string, to: string, name: string): Placed;
  graph(): Placed;
}

export const MARGIN = 16;

/** Lays out parts from above to below, in the order in which lines lead from one to another. */
export const flowLayout = (sizes: ReadonlyMap<string, Size>, lines: readonly FlowLine[]): FlowLayout => {
  const graph: DagreGraph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 16, ranksep: 12, edgesep: 12, marginx: MARGIN, marginy: MARGIN });
  for (const [id, { width, height }] of sizes) graph.setNode(id, { width, height });
  for (const { name, from, to, width, height, rows = 1 } of lines)
    graph.setEdge(from, to, { width, height, minlen: rows, labelpos: 'c' }, name);
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    width,
    height,
    parts: new Map([...sizes.keys()].map((id) => [id, rectangleOf(graph.node(id))])),
    lines: new Map(
      lines.map(({ name, from, to }) => {
        const edge = graph.edge(from, to, name);
        return [name, { points: edge.points ?? [], label: rectangleOf(edge) }];
      }),
    ),
  };
};

const rectangleOf = ({ x = 0, y = 0, width = 0, height = 0 }: Placed): Rectangle => ({
  x: x - width / 2,
  y: y - height / 2,
  width,
  height,
});
