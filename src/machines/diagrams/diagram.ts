import type { AnyStateMachine } from 'xstate';
import type { Arrow, ChartState } from './chart.ts';
import { ancestorsOf, arrowsFrom, chartOf, childrenOf, nameOf, statesWithin } from './chart.ts';

/** Options of {@link toMermaid}. */
export interface DiagramOptions {
  /** Place of a state's description: its title (default), a note, or nowhere. */
  readonly descriptions?: 'titles' | 'notes' | 'none' | undefined;
  /** Reactions, which have no target: omitted (default), as notes, or as arrows of a state to itself. */
  readonly reactions?: 'none' | 'notes' | 'arrows' | undefined;
  /** Layout: top to bottom (default), or left to right. */
  readonly direction?: 'TB' | 'LR' | undefined;
  /** Statistics of runs: see `chartCoverage` of `troupe/inspect`. Arrows show how often they were taken, states how long they lasted. */
  readonly overlay?: DiagramOverlay | undefined;
  /** A comment in its first lines. */
  readonly remark?: string | undefined;
}

/** Statistics of runs through charts. */
export interface DiagramOverlay {
  /** Number of times that arrows were taken, by `${state id}: ${event} #${index} [${guard}]`. */
  readonly taken: ReadonlyMap<string, number>;
  /** Total time in a state by id, in ms. */
  readonly dwellMs: ReadonlyMap<string, number>;
}

/**
 * Converts a machine to Mermaid (`stateDiagram-v2`); equal machines give equal text.
 *
 * Mermaid cannot draw an arrow from a state to one inside it, so an arrow of the whole chart (`abort` …) is drawn from each of the chart's
 * states instead.
 *
 * @example
 * toMermaid(agentMachine, { descriptions: 'none' }).split('\n')[0] // => 'stateDiagram-v2'
 */
export const toMermaid = (machine: AnyStateMachine, options: DiagramOptions = {}): string => {
  const chart = chartOf(machine);
  const drawing = { options, ids: idsOf(chart), arrows: statesWithin(chart).flatMap(drawnArrows) };
  return [
    'stateDiagram-v2',
    `  %% ${oneLine([chart.key, chart.description ?? ''].join(': '))}`,
    ...(options.remark === undefined ? [] : [`  %% ${oneLine(options.remark)}`]),
    `  direction ${options.direction ?? 'TB'}`,
    ...indent(inside(chart, drawing)),
    '',
  ].join('\n');
};

interface Drawing {
  readonly options: DiagramOptions;
  readonly ids: ReadonlyMap<ChartState, string>;
  readonly arrows: readonly DrawnArrow[];
}

/** An arrow as drawn: from one state to one other, written in the block of `block`. */
interface DrawnArrow {
  readonly from: ChartState;
  readonly to: ChartState;
  readonly block: ChartState;
  readonly label: string;
  readonly key: string;
  /** Drawn from each of the chart's states, as it is one of the whole chart. */
  readonly isOfChart: boolean;
}

/** The content of a state: its start, its states, the arrows between them, its ends. */
const inside = (state: ChartState, drawing: Drawing): readonly string[] => {
  const children = childrenOf(state);
  const blocks = children.map((child) => blockOf(child, drawing));
  const states =
    state.type === 'parallel'
      ? blocks.flatMap((block, index) => (index === 0 ? block : ['--', ...block]))
      : blocks.flat();
  const starts = state.type === 'compound' ? state.initial.target : [];
  return [
    ...starts.map((start) => `[*] --> ${idOf(childWith(state, start), drawing)}`),
    ...states,
    ...arrowLines(
      drawing.arrows.filter(({ block }) => block === state),
      drawing,
    ),
    ...children.filter(({ type }) => type === 'final').map((end) => `${idOf(end, drawing)} --> [*]`),
    ...children.flatMap((child) => reactionsOf(child, drawing)),
  ];
};

const blockOf = (state: ChartState, drawing: Drawing): readonly string[] => {
  const { descriptions = 'titles', overlay } = drawing.options;
  const id = idOf(state, drawing);
  const isTitled = descriptions === 'titles' && state.description !== undefined;
  const lasted = overlay?.dwellMs.get(state.id);
  const time = lasted === undefined ? '' : ` (${lasted} ms)`;
  const title = `${state.key}${time}${isTitled ? `: ${state.description}` : ''}`;
  const head = title === id ? `state ${id}` : `state "${titleText(title)}" as ${id}`;
  const body = childrenOf(state).length === 0 ? [] : inside(state, drawing);
  const note =
    descriptions === 'notes' && state.description !== undefined ? noteOn(id, [state.description]) : [];
  return [...(body.length === 0 ? [head] : [`${head} {`, ...indent(body), '}']), ...note];
};

/** One line for all that leads from one state to another, but for the arrows of the whole chart: wide charts are hard to read. */
const arrowLines = (arrows: readonly DrawnArrow[], drawing: Drawing): readonly string[] => {
  const { overlay } = drawing.options;
  const lines = new Map<string, string>();
  for (const { from, to, label, key, isOfChart } of arrows) {
    const way = `${idOf(from, drawing)} --> ${idOf(to, drawing)}`;
    const times = overlay === undefined ? '' : ` ×${overlay.taken.get(key) ?? 0}`;
    const text = `${labelText(label)}${times}`;
    const place = isOfChart ? `${way} ${label}` : way;
    const known = lines.get(place);
    lines.set(place, known === undefined ? `${way} : ${text}` : `${known}<br/>${text}`);
  }
  return [...lines.values()];
};

const drawnArrows = (state: ChartState): readonly DrawnArrow[] =>
  arrowsFrom(state).flatMap((arrow) =>
    arrow.targets.flatMap((target) =>
      tailsOf(state, target).map((from) => {
        const to = headOf(from, target);
        return {
          from,
          to,
          block: blockFor(from, to),
          label: labelOf(arrow),
          key: arrow.key,
          isOfChart: state.parent === undefined,
        };
      }),
    ),
  );

/** The states at which an arrow starts when drawn: `source`, or its own states if the arrow points inside it. */
const tailsOf = (source: ChartState, target: ChartState): readonly ChartState[] =>
  ancestorsOf(target).includes(source)
    ? childrenOf(source)
        .filter((child) => child !== target && child.type !== 'final' && !isLeftAtOnce(child))
        .flatMap((child) => tailsOf(child, target))
    : [source];

/** The state at which an arrow ends when drawn: the target, or its initial state if the arrow comes from inside it. */
const headOf = (from: ChartState, target: ChartState): ChartState => {
  if (target.type !== 'compound' || !ancestorsOf(from).includes(target)) return target;
  const [start] = target.initial.target;
  return start === undefined ? target : headOf(from, start);
};

/** Checks whether a state is never active between events, as one of its `always` arrows is unconditional. */
const isLeftAtOnce = (state: ChartState): boolean =>
  arrowsFrom(state).some(({ event, guard }) => event === '' && guard === undefined);

/** Mermaid moves a state into the block in which an arrow names it, except for the outermost block. */
const blockFor = (from: ChartState, to: ChartState): ChartState => {
  const chart = ancestorsOf(from).at(-1) ?? from;
  return from.parent !== undefined && from.parent === to.parent ? from.parent : chart;
};

/** The child of `state` that is or contains `inner`. */
const childWith = (state: ChartState, inner: ChartState): ChartState =>
  [inner, ...ancestorsOf(inner)].find(({ parent }) => parent === state) ?? inner;

/** The label of an arrow: its event, and its guard in brackets; `otherwise` for the last of several. */
const labelOf = ({ event, guard, index }: Arrow): string => {
  const condition =
    guard === undefined ? (index === 0 ? '' : '[otherwise]') : `[${nameOf(guard) ?? 'inline'}]`;
  return [event, condition].filter((part) => part !== '').join(' ') || 'always';
};

/** Arrows without a target; those of the chart itself have no state to draw them at. */
const reactionsOf = (state: ChartState, drawing: Drawing): readonly string[] => {
  const { reactions = 'none' } = drawing.options;
  if (reactions === 'none') return [];
  const id = idOf(state, drawing);
  const lines = arrowsFrom(state)
    .filter(({ targets }) => targets.length === 0)
    .map(
      (arrow) =>
        `${labelOf(arrow)} / ${arrow.actions.map((action) => nameOf(action) ?? 'inline').join(', ')}`,
    );
  if (lines.length === 0) return [];
  return reactions === 'notes'
    ? noteOn(id, lines)
    : lines.map((line) => `${id} --> ${id} : ${labelText(line)}`);
};

const noteOn = (id: string, lines: readonly string[]): readonly string[] => [
  `note right of ${id}`,
  ...indent(lines.map(titleText)),
  'end note',
];

/** A short id for each state: its key if that is unique, else its path. */
const idsOf = (chart: ChartState): ReadonlyMap<ChartState, string> => {
  const ids = new Map<ChartState, string>();
  const taken = new Set<string>();
  const states = statesWithin(chart);
  for (const state of states) {
    const isAlone = states.filter(({ key }) => key === state.key).length === 1;
    const path = [state, ...ancestorsOf(state)].slice(0, -1).reverse();
    const wanted = (isAlone ? state.key : path.map(({ key }) => key).join('_')).replaceAll(/\W/g, '_');
    let id = RESERVED.has(wanted.toLowerCase()) ? `${wanted}_` : wanted;
    while (taken.has(id)) id += '_';
    taken.add(id);
    ids.set(state, id);
  }
  return ids;
};

/** Reserved words of Mermaid. */
const RESERVED: ReadonlySet<string> = new Set(
  'accdescr acctitle as choice class classdef click default direction end fork hide history join note root scale state style'.split(
    ' ',
  ),
);

const idOf = (state: ChartState, { ids }: Drawing): string => ids.get(state) ?? state.key;

const indent = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').trim();

/** Escapes what Mermaid reads as the end of a title or as HTML. */
const titleText = (text: string): string =>
  oneLine(text).replaceAll(/[#"<>]/g, (character) => `#${character.charCodeAt(0)};`);

/** Escapes what Mermaid reads as the end of a label, too. */
const labelText = (text: string): string =>
  oneLine(text).replaceAll(/[#"<>:;]/g, (character) => `#${character.charCodeAt(0)};`);
