/**
 * Runs a program of the guide in a browser, and says how those that it ran moved: bundled for the site by `scripts/docs.ts`. It imports
 * troupe as its users do, by its entries; only the layout of charts has none.
 */
import { recorder, Tableau } from 'troupe/inspect';
import { notesMemory, threads, vectorMemory } from 'troupe/memory';
import { guardrails, modelAnswer, wrapModel } from 'troupe/models';
import { policy } from 'troupe/policy';
import { memoryStore } from 'troupe/stores';
import { calls, scriptedModel, virtualClock } from 'troupe/testing';
import { colleagues, protocol } from 'troupe/tools';
import * as patternsEntry from 'troupe/patterns';
import * as troupeEntry from 'troupe';
import * as xstateEntry from 'xstate';
import { z } from 'zod';
import { chartDrawing } from '../src/inspect/drawing/chart-drawing.ts';
import { arrowHead, roundedPath } from '../src/inspect/drawing/lines.ts';
import type { Entry, StateShape } from '../src/inspect/recording/entry.ts';
import { attachInspector } from '../src/runtime/inspection/ambient-inspector.ts';
import { plainChart } from './plain-chart.ts';

/** What programs of the guide may import. */
const modules: Readonly<Record<string, object>> = {
  troupe: troupeEntry,
  'troupe/memory': { notesMemory, threads, vectorMemory },
  'troupe/models': { guardrails, modelAnswer, wrapModel },
  'troupe/policy': { policy },
  'troupe/patterns': patternsEntry,
  'troupe/stores': { memoryStore },
  'troupe/testing': { calls, scriptedModel, virtualClock },
  'troupe/tools': { colleagues, protocol },
  xstate: xstateEntry,
  zod: { z },
};

/** The names that programs may import from a module; undefined for one that they may not. */
export const exportsOf = (from: string): readonly string[] | undefined =>
  Object.hasOwn(modules, from) ? Object.keys(modules[from] ?? {}) : undefined;

/** A chart as it is drawn. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly {
    readonly id: string;
    readonly name: string;
    readonly type: string;
    readonly description: string;
    readonly isOuter: boolean;
    readonly x: number;
    readonly y: number;
    readonly width: number;
    readonly height: number;
  }[];
  readonly arrows: readonly {
    readonly ids: readonly string[];
    readonly way: string;
    readonly head: string;
    readonly lines: readonly string[];
    readonly x: number;
    readonly y: number;
  }[];
}

/** One move of an actor: where it is from then on, and how it came there. */
export interface Move {
  readonly states: readonly string[];
  readonly names: readonly string[];
  readonly arrows: readonly string[];
}

/** Somebody that ran. */
export interface PlayedActor {
  readonly id: string;
  readonly name: string;
  readonly drawing: Drawing;
  readonly moves: readonly Move[];
}

/** What came of a program. */
export interface PlayedRun {
  readonly error: string;
  /** The line of the program at which it happened, where that is known; from 1. */
  readonly line: number | undefined;
  readonly actors: readonly PlayedActor[];
}

/** What a page loads when somebody runs a program. */
export interface Runtime {
  readonly play: typeof play;
  readonly exportsOf: typeof exportsOf;
}

const drawingOf = (shape: StateShape): Drawing => {
  const { width, height, boxes, arrows } = chartDrawing(plainChart(shape));
  return {
    width,
    height,
    boxes: boxes.map(({ id, name, type, description, x, y, width: wide, height: high }) => ({
      id,
      name,
      type,
      description,
      isOuter: type === 'compound' || type === 'parallel',
      x,
      y,
      width: wide,
      height: high,
    })),
    arrows: arrows.map(({ ids, points, lines, label }) => ({
      ids,
      way: roundedPath(points),
      head: arrowHead(points),
      lines: lines.map(({ text }) => text),
      x: label.x + label.width / 2,
      y: label.y + 11,
    })),
  };
};

/** How the actors of a recording moved: agents, teams, and calls that had charts of their own. */
const actorsIn = (entries: readonly Entry[]): readonly PlayedActor[] => {
  const tableau = new Tableau();
  const moves = new Map<string, Move[]>();
  for (const entry of entries) {
    tableau.apply(entry);
    if (entry.kind !== 'moved') continue;
    const names = entry.states.map((state) => state.split('.').slice(-1).join());
    const move = { states: entry.states, names, arrows: entry.arrows };
    moves.set(entry.actor, [...(moves.get(entry.actor) ?? []), move]);
  }
  const drawings = new Map<string, Drawing>();
  return [...tableau.actors.values()].flatMap(({ actor, name, chart, role }): PlayedActor[] => {
    const shape = chart === undefined ? undefined : tableau.charts.get(chart);
    const own = moves.get(actor) ?? [];
    if (chart === undefined || shape === undefined || own.length === 0) return [];
    if (role !== 'agent' && role !== 'team') return [];
    const drawing = drawings.get(chart) ?? drawingOf(shape);
    drawings.set(chart, drawing);
    return [{ id: actor, name, drawing, moves: own }];
  });
};

/** A value as Node prints it on one line. */
const printed = (value: unknown): string => {
  if (typeof value === 'string') return `'${value}'`;
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `[ ${value.map(printed).join(', ')} ]`;
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).map(
    ([name, each]) => `${/^[\w$]+$/.test(name) ? name : printed(name)}: ${printed(each)}`,
  );
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
};

const printable = (value: unknown): string => (typeof value === 'string' ? value : printed(value));

/** A function of asynchronous code. */
type Program = (modules: object, console: object) => Promise<void>;

/** The line of a program that an error came from: its function has two lines before the first one. */
const lineOf = (thrown: unknown): number | undefined => {
  if (!(thrown instanceof Error)) return undefined;
  const [, line] = /program\.ts:(\d+)/.exec(thrown.stack ?? '') ?? [];
  return line === undefined ? lineOf(thrown.cause) : Number(line) - 2;
};

/** Runs a program: JavaScript with `modules` in place of imports. */
export const play = async (code: string, print: (line: string) => void): Promise<PlayedRun> => {
  const record = recorder({ secrets: {} });
  const detach = attachInspector(record);
  let error = '';
  let line: number | undefined;
  const log = (...said: readonly unknown[]): void => {
    print(said.map(printable).join(' '));
  };
  try {
    const makes = Object.getPrototypeOf(async () => undefined) as {
      readonly constructor: new (...parts: readonly string[]) => Program;
    };
    const program = new makes.constructor('modules', 'console', `${code}\n//# sourceURL=program.ts`);
    await program(modules, { log, error: log, warn: log });
    // What it left to happen right after it is its own, too.
    await new Promise((resolve) => setTimeout(resolve, 50));
  } catch (thrown) {
    error = printable(thrown);
    line = lineOf(thrown);
  } finally {
    detach();
  }
  const entries = [...record.recording.from()].map((line) => JSON.parse(line) as Entry);
  return { error, line, actors: actorsIn(entries) };
};
