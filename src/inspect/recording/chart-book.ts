import type { AnyStateMachine } from 'xstate';
import { arrowIds, chartShape } from './chart-shape.ts';
import type { EffectRole } from './effect-charts.ts';
import { effectCharts } from './effect-charts.ts';
import type { StateShape } from './entry.ts';
import type { Recording } from './recording.ts';

/** The chart of a machine, and how to find its arrows. */
export class MachineChart {
  readonly id: string;
  readonly machine: AnyStateMachine;
  readonly #arrows: ReadonlyMap<object, string>;
  /** A step that is taken again has the same list of arrows. */
  readonly #taken = new WeakMap<readonly object[], readonly string[]>();

  constructor(id: string, machine: AnyStateMachine) {
    this.id = id;
    this.machine = machine;
    this.#arrows = arrowIds(machine);
  }

  /** The ids of arrows, by XState's own objects of them. */
  idsOf(arrows: readonly object[]): readonly string[] {
    let ids = this.#taken.get(arrows);
    if (ids === undefined)
      this.#taken.set(arrows, (ids = arrows.flatMap((each) => this.#arrows.get(each) ?? [])));
    return ids;
  }
}

/**
 * The charts of a recording.
 *
 * I1  Each is recorded once, before its first actor; two that differ never share a name.
 */
export class ChartBook {
  readonly #recording: Recording;
  readonly #machines = new Map<unknown, MachineChart>();
  readonly #effects = new Map<EffectRole, string>();
  readonly #shapes = new Map<StateShape, string>();
  readonly #taken = new Set<string>();

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  ofMachine(machine: AnyStateMachine, at: number): MachineChart {
    const known = this.#machines.get(machine.root);
    if (known !== undefined) return known;
    const chart = new MachineChart(this.#record(chartShape(machine), at), machine);
    this.#machines.set(machine.root, chart);
    return chart;
  }

  ofEffect(role: EffectRole, at: number): string {
    const known = this.#effects.get(role);
    if (known !== undefined) return known;
    const chart = this.#record(effectCharts[role], at);
    this.#effects.set(role, chart);
    return chart;
  }

  /** A chart of its own, which no machine and no other actor of another shape has. */
  ofShape(shape: StateShape, at: number): string {
    const known = this.#shapes.get(shape);
    if (known !== undefined) return known;
    const chart = this.#record(shape, at);
    this.#shapes.set(shape, chart);
    return chart;
  }

  #record(shape: StateShape, at: number): string {
    let chart = shape.key;
    for (let count = 2; this.#taken.has(chart); count += 1) chart = `${shape.key}-${count}`;
    this.#taken.add(chart);
    this.#recording.add({ kind: 'chart', at, chart, shape });
    return chart;
  }
}
