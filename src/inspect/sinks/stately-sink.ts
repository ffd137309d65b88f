import type { Json, JsonObject } from '../../base/json/json.ts';
import type { NewEntry, StateShape } from '../recording/entry.ts';
import type { Recorder } from '../recording/recorder.ts';
import { followEntries } from './follow-entries.ts';
import { machineConfig, stateValue } from './machine-config.ts';

/** The part of an inspector of `@statelyai/inspect` that receives data. */
export interface StatelyInspector {
  /** The package accepts an id as well; it is never given one here. */
  actor(actor: StatelyActor | string, snapshot: StatelySnapshot): void;
  event(id: string, event: StatelyEvent, info: { readonly source?: string }): void;
  snapshot(id: string, snapshot: StatelySnapshot, info: { readonly event: StatelyEvent }): void;
}

/**
 * An actor, as that package reads one: its chart from `logic.config`, its parent and its root from `_parent`. It
 * ignores separate fields (`definition`, `parentId`, `rootId`), and for an id alone it sends none of the three.
 */
export interface StatelyActor {
  readonly sessionId: string;
  readonly logic?: { readonly config: JsonObject };
  readonly _parent?: StatelyAncestor | undefined;
}

/** An ancestor of an actor; the mark above a root has no id. */
export interface StatelyAncestor {
  readonly sessionId?: string | undefined;
  readonly _parent?: StatelyAncestor | undefined;
}

/** A snapshot, as that package has it. */
export interface StatelySnapshot {
  readonly status: 'active' | 'done' | 'error' | 'stopped';
  readonly value?: Json;
  readonly context?: Readonly<Record<string, unknown>>;
  readonly output?: Json;
}

/** An event, as that package has it. */
export interface StatelyEvent {
  readonly type: string;
  readonly [key: string]: unknown;
}

/** Options of the sink. */
export interface StatelySinkOptions {
  /** Called once with a warning that data leaves the machine. Default: `console.warn`. */
  readonly warn?: ((text: string) => void) | undefined;
}

interface Shown {
  readonly ref: StatelyActor;
  readonly shape: StateShape | undefined;
  snapshot: StatelySnapshot;
}

/**
 * Shows a recording in an inspector of `@statelyai/inspect`, by the package's own protocol; returns a function that
 * stops it.
 *
 * The data is plain JSON without secrets, so that no value crashes it. Its page is hosted: prompts, answers and
 * contexts leave your machine for wherever the inspector sends them, and the sink warns about that, once.
 *
 * @example
 * const record = recorder();
 * const stop = toStately(record, createBrowserInspector()); // of '@statelyai/inspect'
 * await clerk.run('What is 19 + 23?', { inspect: record });
 */
export const toStately = (
  { recording }: Recorder,
  inspector: StatelyInspector,
  { warn = warnUser }: StatelySinkOptions = {},
): (() => void) => {
  warn(
    'Prompts, answers and contexts of your agents are sent to an inspector of @statelyai/inspect, whose page is hosted by stately.ai.',
  );
  const charts = new Map<string, StateShape>();
  const actors = new Map<string, Shown>();

  const come = (entry: Extract<NewEntry, { kind: 'actor' }>): void => {
    const { actor, name, parent } = entry;
    const shape = entry.chart === undefined ? undefined : charts.get(entry.chart);
    // Actors are listed by the id of their chart, and those of one chart are many.
    const config = { ...(shape === undefined ? {} : machineConfig(shape, 'v5')), id: name };
    const above = parent === undefined ? rootMark(actor) : (actors.get(parent)?.ref ?? orphanOf(parent));
    const shown: Shown = {
      ref: { sessionId: actor, logic: { config }, _parent: above },
      shape,
      snapshot: { status: 'active', context: {} },
    };
    actors.set(actor, shown);
    inspector.actor(shown.ref, shown.snapshot);
  };

  const show = (actor: string, shown: Shown, change: Partial<StatelySnapshot>, event: StatelyEvent): void => {
    shown.snapshot = { ...shown.snapshot, ...change };
    inspector.snapshot(actor, shown.snapshot, { event });
  };

  return followEntries(recording, (entry) => {
    if (entry.kind === 'chart') charts.set(entry.chart, entry.shape);
    else if (entry.kind === 'actor') come(entry);
    else {
      const shown = actors.get(entry.actor);
      if (shown === undefined) return;
      const { actor } = entry;
      if (entry.kind === 'received')
        inspector.event(actor, { ...entry.event }, entry.from === undefined ? {} : { source: entry.from });
      else if (entry.kind === 'moved') {
        const value = shown.shape === undefined ? {} : { value: stateValue(shown.shape, entry.states) };
        const context = { ...shown.snapshot.context, ...entry.patch };
        show(actor, shown, { ...value, context }, { type: entry.on });
      } else if (entry.kind === 'gone') {
        const output = entry.output === undefined ? {} : { output: entry.output };
        show(actor, shown, { status: STATUS[entry.status], ...output }, { type: 'xstate.stop' });
        actors.delete(actor);
      }
    }
  });
};

/**
 * Pseudo-parent of a root: it has no id, so that the root has no parent, and refers to the root, so that its whole tree
 * shares one.
 */
const rootMark = (root: string): StatelyAncestor => ({ _parent: { sessionId: root } });

/** A parent of which no entry is left. */
const orphanOf = (parent: string): StatelyAncestor => ({
  sessionId: parent,
  ...rootMark(parent),
});

const warnUser = (text: string): void => {
  // oxlint-disable-next-line no-console -- the warning is for the person at the terminal
  console.warn(text);
};

const STATUS = { done: 'done', failed: 'error', stopped: 'stopped' } as const;
