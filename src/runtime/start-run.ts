import type { RunHandle, RunOptions } from '../contracts/run.ts';
import { systemClock } from '../contracts/clock.ts';
import type { Hook } from '../contracts/event.ts';
import type { AttachedHooks } from '../events/hooks.ts';
import { attachHooks } from '../events/hooks.ts';
import type { Definition } from './definition.ts';
import type { Host } from './stage.ts';
import { Handle } from './handle.ts';
import { liveHost, safeInspector } from './live-host.ts';
import { processPacer } from './pacer.ts';
import { Run } from './run.ts';

/** What the caller of a run decides that its user does not. */
export interface StartSetup {
  readonly isAttended: boolean;
  /** Default: live. */
  readonly host?: Host;
  readonly random?: () => number;
  /** Told of the hooks at work, for somebody who has to wait for them. */
  readonly onHooks?: (hooks: AttachedHooks) => void;
}

/** Starts a run of a definition and hands it over. */
export const startRun = <Output, State>(
  definition: Definition,
  input: unknown,
  options: RunOptions,
  setup: StartSetup,
): RunHandle<Output, State> => {
  const run = createRun(definition, options, setup);
  run.begin(input, options.history);
  return new Handle<Output, State>(run);
};

/** A run that has not begun, wired to its signal, its hooks and its inspector. */
export const createRun = (definition: Definition, options: RunOptions, setup: StartSetup): Run => {
  const clock = options.clock ?? systemClock;
  const run: Run = new Run(definition, options, {
    host: setup.host ?? liveHost(inspectorOf(options, () => run)),
    pacer: processPacer,
    clock,
    runId: options.runId ?? crypto.randomUUID(),
    random: setup.random ?? Math.random,
    isAttended: setup.isAttended,
  });
  const hooks = [...(options.hooks ?? []), ...hooksOf(definition)];
  if (hooks.length > 0) {
    const attached = attachHooks(run.log.stream, hooks, {
      clock,
      scope: { context: options.context },
      onFailure: (observer, error) => {
        run.observerFailed(observer, error);
      },
      onDropped: (observer, count) => {
        run.log.write({ type: 'observer.dropped', observer, count }, run.root);
      },
    });
    setup.onHooks?.(attached);
  }
  const { signal } = options;
  if (signal !== undefined) {
    const abort = (): void => {
      run.abort(signal.reason instanceof Error ? signal.reason.message : String(signal.reason));
    };
    if (signal.aborted) abort();
    else {
      signal.addEventListener('abort', abort, { once: true });
      const forget = (): void => {
        signal.removeEventListener('abort', abort);
      };
      run.result.then(forget, forget);
    }
  }
  return run;
};

/** The hooks of the root see the whole run, those of a member what that member does. */
const hooksOf = (definition: Definition): readonly Hook[] => [
  ...definition.hooks,
  ...[...definition.members.values()].flatMap((member) =>
    hooksOf(member).map((hook): Hook => ({
      ...hook,
      handle: (event, scope) => (event.agent === member.name ? hook.handle(event, scope) : undefined),
    })),
  ),
];

const inspectorOf = ({ inspect }: RunOptions, run: () => Run) =>
  inspect === undefined
    ? undefined
    : safeInspector(inspect, (error) => {
        run().observerFailed('inspector', error);
      });
