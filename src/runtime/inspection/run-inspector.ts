import type {
  Inspect,
  InspectedMember,
  InspectedRun,
  RunInspector,
} from '../../contracts/events/inspection.ts';
import type { RunContent } from '../content/run-content.ts';
import { define } from '../define/definition.ts';
import { Gallery } from '../embed/gallery.ts';
import { Handle } from '../run/handle.ts';
import { askerOf } from './model-asker.ts';
import type { Run } from '../run/run.ts';
import { onlyOnce, safeInspector } from './safe-inspector.ts';
import type { Actor } from '../actors/actor.ts';
import type { Onlooker } from '../turn/onlooker.ts';
import { TurnNotes } from './turn-notes.ts';

/** The inspector of a run that has not started yet, whose exceptions do not reach the run; undefined for one that failed already. */
export const onlookerOf = (inspect: Inspect, run: Run, isReplayed: boolean): Onlooker | undefined => {
  const failed = (error: unknown): void => {
    // A failure now is not an event of a replayed run.
    if (!isReplayed) run.observerFailed('inspector', error);
  };
  if (!isRunInspector(inspect)) return new Gallery(safeInspector(inspect, failed));
  try {
    run.log.sent.keep();
    const listener = inspect.inspects(inspectRun(run, isReplayed, failed));
    if (typeof listener === 'function') return new Gallery(safeInspector(listener, failed));
    return new TurnNotes(
      safely((turn) => {
        listener.turned(turn);
      }, failed),
    );
  } catch (error) {
    failed(error);
    return undefined;
  }
};

const isRunInspector = (inspect: Inspect): inspect is RunInspector => 'inspects' in inspect;

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
    redact: (value) => run.secrets.value(value),
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
    misfit: (requestId, input, by) => run.person.misfit(requestId, input, by),
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
