import type { InspectionEvent } from 'xstate';
import type { InspectedMember, InspectedRun, RunInspector } from '../../contracts/events/inspection.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import type { RunContent } from '../content/run-content.ts';
import { define } from '../define/definition.ts';
import { Handle } from '../run/handle.ts';
import { askerOf } from './model-asker.ts';
import type { Run } from '../run/run.ts';
import { onlyOnce, safeInspector } from './safe-inspector.ts';
import type { Actor } from '../actors/actor.ts';

/** An inspector whose exceptions do not reach the run. */
export interface PlacedInspector {
  readonly look: (event: InspectionEvent) => void;
  /** The run exists and has not started. */
  begins(): void;
}

/** Wraps the inspector of a run that is being created; undefined if there is none. */
export const placeInspector = (
  { inspect }: Pick<RunOptions, 'inspect'>,
  run: () => Run,
  isReplayed: boolean,
): PlacedInspector | undefined => {
  if (inspect === undefined) return undefined;
  const failed = (error: unknown): void => {
    // A failure now is not an event of a replayed run.
    if (!isReplayed) run().observerFailed('inspector', error);
  };
  if (!isRunInspector(inspect)) return { look: safeInspector(inspect, failed), begins: () => undefined };
  let look: (event: InspectionEvent) => void = () => undefined;
  return {
    look: (event) => {
      look(event);
    },
    begins: () => {
      try {
        run().log.sent.keep();
        look = safeInspector(inspect.inspects(inspectRun(run(), isReplayed, failed)), failed);
      } catch (error) {
        failed(error);
      }
    },
  };
};

const isRunInspector = (inspect: NonNullable<RunOptions['inspect']>): inspect is RunInspector =>
  'inspects' in inspect;

const inspectRun = (run: Run, isReplayed: boolean, failed: (error: unknown) => void): InspectedRun => {
  const handle = new Handle<unknown, unknown>(run);
  const root = { name: run.root.agent };
  define(root, run.root.definition);
  return {
    runId: run.runId,
    agent: run.root.agent,
    root,
    now: () => run.log.now(),
    watch: (next) => {
      run.log.inspect(safely(next, failed));
    },
    resumed: (next) => {
      run.log.onResumed(safely(next, failed));
    },
    sent: run.log.shownSent,
    sentAsItWas: run.log.sent,
    secrets: (next) => {
      run.secrets.tell(next);
    },
    bytesOf: bytesOf(run.content),
    memberAt: (path) => memberOf(run.actors.at(path)),
    askerAt: (path) => {
      const agent = run.actors.at(path)?.definition.agent;
      return agent && askerOf(agent, run);
    },
    misfit: (requestId, input) => run.person.misfit(requestId, input),
    ...(isReplayed ? {} : { handle }),
  };
};

/** Apart from the run, which an inspector that reads its media later does not hold so. */
const bytesOf =
  (content: Pick<RunContent, 'bytesOf'>): InspectedRun['bytesOf'] =>
  (part) =>
    content.bytesOf(part);

const safely = <Event>(
  next: (event: Event) => void,
  failed: (error: unknown) => void,
): ((event: Event) => void) => {
  const report = onlyOnce(failed);
  return (event) => {
    try {
      next(event);
    } catch (error) {
      report(error);
    }
  };
};

const memberOf = (actor: Actor | undefined): InspectedMember | undefined => {
  if (actor === undefined) return undefined;
  const kind = actor.isCall ? 'call' : actor.definition.agent === undefined ? 'team' : 'agent';
  const { sponsor } = actor;
  return { name: actor.agent, kind, ...(sponsor.kind === 'root' ? {} : { parent: sponsor.parent.path }) };
};
