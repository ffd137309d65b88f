import type { Json } from '../../contracts/json.ts';
import type { NewEntry, StateShape } from '../recording/entry.ts';
import type { Recorder } from '../recording/recorder.ts';
import { followEntries } from './follow-entries.ts';
import { machineConfig, stateValue } from './machine-config.ts';

/** The part of an inspector of `@statelyai/inspect` that is told things. */
export interface StatelyInspector {
  actor(
    id: string,
    snapshot: StatelySnapshot,
    info: { readonly definition?: string; readonly parentId?: string; readonly rootId?: string },
  ): void;
  event(id: string, event: StatelyEvent, info: { readonly source?: string }): void;
  snapshot(id: string, snapshot: StatelySnapshot, info: { readonly event: StatelyEvent }): void;
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

/** What the sink may be told. */
export interface StatelySinkOptions {
  /** Told once that data leaves the machine. Default: `console.warn`. */
  readonly warn?: ((text: string) => void) | undefined;
}

interface Shown {
  readonly root: string;
  readonly shape: StateShape | undefined;
  snapshot: StatelySnapshot;
}

/**
 * Shows a recording in an inspector of `@statelyai/inspect`, by the package's own protocol; gives what ends that.
 *
 * What is told is plain JSON without secrets, so that no value crashes it. Its page is hosted: prompts, answers and contexts leave
 * your machine for whatever the inspector was made to send them to, and the sink says so, once.
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
    const shape = entry.chart === undefined ? undefined : charts.get(entry.chart);
    const root = entry.parent === undefined ? entry.actor : (actors.get(entry.parent)?.root ?? entry.parent);
    const shown: Shown = { root, shape, snapshot: { status: 'active', context: {} } };
    actors.set(entry.actor, shown);
    inspector.actor(entry.actor, shown.snapshot, {
      ...(shape === undefined ? {} : { definition: JSON.stringify(machineConfig(shape, 'v5')) }),
      ...(entry.parent === undefined ? {} : { parentId: entry.parent }),
      rootId: root,
    });
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

const warnUser = (text: string): void => {
  // oxlint-disable-next-line no-console -- whoever may have to be stopped from it is at the terminal
  console.warn(text);
};

const STATUS = { done: 'done', failed: 'error', stopped: 'stopped' } as const;
