import type { RuntimeEvent } from '../../../contracts/events/event.ts';
import type { NotedEvent } from '../../../contracts/events/noted-event.ts';
import type { InspectedMember } from '../../../contracts/events/inspection.ts';
import { agentMachine } from '../../../machines/agent/agent-machine.ts';
import { arrowsFrom, chartOf, childrenOf } from '../../../machines/diagrams/chart.ts';
import type { ChartState } from '../../../machines/diagrams/chart.ts';
import { ChartBook } from '../../recording/chart-book.ts';
import type { GoneStatus } from '../../recording/entry.ts';
import { LogFold } from '../../recording/log-fold.ts';
import { Recording } from '../../recording/recording.ts';
import type { Trace } from '../trace.ts';
import { walkedArrow, walkedCharts, walkedState } from './walked-charts.ts';

/** Entries that a recording of a trace has at most; of those before it has what they came to. */
const CAPACITY = 100_000;

/**
 * The recording of a run by its events alone, as the inspector's page shows it: agents move along their chart by the phases that they
 * entered, teams and calls along a chart of what they
 * went through (`walkedCharts`), and of contexts there is what steps changed.
 */
export const recordingOf = (events: readonly RuntimeEvent[], resumed: Trace['resumed'] = []): Recording => {
  const recording = new Recording({
    capacity: CAPACITY,
    onFailure: () => undefined,
  });
  const [first] = events;
  if (first === undefined) return recording;
  const members = membersIn(events);
  const root = events.find(({ type }) => type === 'run.started')?.path ?? first.path;
  const charts = new ChartBook(recording);
  const run = { runId: first.runId, agent: root, memberAt: (path: string) => members.get(path) };
  const fold = new LogFold(run, recording, charts);
  const walk = new PhaseWalk(fold, recording);
  const walked = walkedCharts(events, (path) => {
    const member = members.get(path);
    return member?.kind === 'agent' ? undefined : member?.name;
  });
  const left = [...resumed];
  for (const event of events) {
    const { path, at } = event;
    while (left[0] !== undefined && left[0].seq <= event.seq) fold.resumed(left.shift()?.at ?? at);
    if (event.type === 'run.ended') for (const each of walk.others(path)) fold.goes(each, at, 'stopped');
    for (const each of addressesTo(path, members))
      if (!fold.has(each)) {
        const isAgent = members.get(each)?.kind === 'agent';
        const name = members.get(each)?.name ?? '';
        const shape = walked.get(name);
        const own = shape === undefined ? undefined : charts.ofShape(shape, at);
        fold.comes(each, at, isAgent ? charts.ofMachine(agentMachine, at).id : own);
        walk.begins(each, isAgent, name);
      }
    // Its log has it as a whole.
    fold.take(partsOf(event));
    walk.take(event);
  }
  for (const each of left) fold.resumed(each.at);
  return recording;
};

/** An event that was built, in parts again: its body has what the others have, too. */
const partsOf = (event: RuntimeEvent): NotedEvent => {
  const { seq, path, agent, at, step, phase } = event;
  // It is of its type, with more in it.
  return { seq, body: event as NotedEvent['body'], moment: { path, agent, at, step, phase } };
};

/** An address and those above it that are members, from the root on. */
const addressesTo = (path: string, members: ReadonlyMap<string, InspectedMember>): readonly string[] => {
  const above = members.get(path)?.parent;
  return above === undefined ? [path] : [...addressesTo(above, members), path];
};

/** The actors that events are about: an agent decides, a call has the address of one with a `~`, all others are teams. */
const membersIn = (events: readonly RuntimeEvent[]): ReadonlyMap<string, InspectedMember> => {
  const names = new Map<string, string>();
  const agents = new Set<string>();
  for (const { path, agent, type } of events) {
    if (!names.has(path)) names.set(path, agent);
    if (type === 'agent.prepared' || type === 'agent.decided' || type === 'step.ended') agents.add(path);
  }
  const parentOf = (path: string): string | undefined => {
    const above = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if (above === '') return undefined;
    return names.has(above) ? above : parentOf(above);
  };
  const kindOf = (path: string): InspectedMember['kind'] =>
    path.includes('/~') ? 'call' : agents.has(path) ? 'agent' : 'team';
  return new Map(
    [...names].map(([path, name]) => [path, { name, kind: kindOf(path), parent: parentOf(path) }]),
  );
};

/** The moves of actors, by the phases that they entered. */
class PhaseWalk {
  readonly #fold: LogFold;
  readonly #recording: Recording;
  /** The state of each actor that is there. */
  readonly #states = new Map<
    string,
    { readonly isAgent: boolean; readonly name: string; at: ChartState | string | undefined }
  >();
  /** The context patches to show with the next move. */
  readonly #patches = new Map<string, Readonly<Record<string, unknown>>>();

  constructor(fold: LogFold, recording: Recording) {
    this.#fold = fold;
    this.#recording = recording;
  }

  begins(path: string, isAgent: boolean, name: string): void {
    this.#states.set(path, { isAgent, name, at: undefined });
  }

  /** All actors but one. */
  others(path: string): readonly string[] {
    return [...this.#states.keys()].filter((each) => each !== path).toReversed();
  }

  take(event: RuntimeEvent): void {
    const { path, at } = event;
    if (event.type === 'run.started') this.#patches.set(path, { input: event.input });
    if (event.type === 'phase.entered') this.#moves(path, at, event.phase);
    if (event.type === 'agent.reduced') this.#changes(path, at, event);
    if (event.type === 'member.ended' || event.type === 'run.ended') {
      if (!this.#states.delete(path)) return;
      const said = event.error ?? ('output' in event ? event.output : undefined);
      this.#fold.goes(path, at, statuses[event.status] ?? 'stopped', said);
    }
  }

  #moves(path: string, at: number, phase: string): void {
    const known = this.#states.get(path);
    if (known === undefined) return;
    const { at: from } = known;
    const to = known.isAgent ? (stateOf(phase) ?? phase) : phase;
    const arrows =
      typeof from === 'object' && typeof to === 'object'
        ? arrowsBetween(from, to)
        : typeof from === 'string' && typeof to === 'string' && from !== to
          ? [walkedArrow(known.name, from, to)]
          : [];
    const patch = this.#patches.get(path);
    this.#patches.delete(path);
    known.at = to;
    this.#recording.add({
      kind: 'moved',
      at,
      actor: this.#fold.idOf(path),
      on: 'phase.entered',
      arrows,
      states: [stateIdOf(known.name, to)],
      ...(patch === undefined ? {} : { patch }),
    });
  }

  #changes(path: string, at: number, { diff }: Extract<RuntimeEvent, { type: 'agent.reduced' }>): void {
    const known = this.#states.get(path);
    const to = known?.at;
    const changed = Object.entries(diff).map(([key, { after }]) => [key, after] as const);
    if (known === undefined || to === undefined || changed.length === 0) return;
    const states = [stateIdOf(known.name, to)];
    const patch = Object.fromEntries(changed);
    const actor = this.#fold.idOf(path);
    this.#recording.add({ kind: 'moved', at, actor, on: 'agent.reduced', arrows: [], states, patch });
  }
}

const stateIdOf = (name: string, state: ChartState | string): string =>
  typeof state === 'string' ? walkedState(name, state) : state.id;

const statuses: Readonly<Record<string, GoneStatus>> = { completed: 'done', failed: 'failed' };

/** The state of an agent in a phase. */
const stateOf = (phase: string): ChartState | undefined => {
  const within = (state: ChartState): ChartState | undefined => {
    if (state.key === phase) return state;
    for (const child of childrenOf(state)) {
      const found = within(child);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return within(chartOf(agentMachine));
};

/** The arrow from one state to another, where there is only one. */
const arrowsBetween = (from: ChartState, to: ChartState): readonly string[] => {
  const found = arrowsFrom(from).filter(({ targets }) => targets.includes(to));
  return found.length === 1 ? found.map(({ key }) => key) : [];
};
