import type { Hook } from '../contracts/event.ts';
import type { RunOptions } from '../contracts/run.ts';
import { logHook } from '../events/log-hook.ts';
import type { AttachedHooks } from '../events/hooks.ts';
import { attachHooks } from '../events/hooks.ts';
import type { Definition } from './definition.ts';
import type { Run } from './run.ts';

/** Told of the hooks at work, for somebody who has to wait for them. */
export type OnHooks = (hooks: AttachedHooks) => void;

/**
 * Attaches the hooks of a run: the caller's and the root's see all of it, those of a member or a child only what
 * happens at its address and below.
 *
 * Gives what has to be told of every actor that is engaged: its definition's hooks are attached when it first is, so
 * that an agent's hooks work wherever it runs.
 */
export const attachRunHooks = (
  run: Run,
  root: Definition,
  { hooks = [], context, thread, log }: Pick<RunOptions, 'hooks' | 'context' | 'thread' | 'log'>,
  onHooks: OnHooks | undefined,
): ((definition: Definition) => void) => {
  const attach = (observers: readonly Hook[]): void => {
    if (observers.length === 0) return;
    if (observers.some(({ wantsRequests }) => wantsRequests === true)) run.log.sent.keep();
    const attached = attachHooks(run.log.stream, observers, {
      clock: run.clock,
      scope: { context, thread, sent: run.log.shownSent },
      onFailure: (observer, error, event) => {
        run.observerFailed(observer, error, event);
      },
      onDropped: (observer, count) => {
        run.log.write({ type: 'observer.dropped', observer, count }, run.root);
      },
    });
    run.hooks.push(attached);
    onHooks?.(attached);
  };
  attach(log === undefined ? [...hooks, ...root.hooks] : [...hooks, ...root.hooks, logHook(log)]);
  const known = new Set<Definition>([root]);
  return (definition) => {
    if (known.has(definition)) return;
    known.add(definition);
    attach(
      definition.hooks.map((hook): Hook => ({
        ...hook,
        handle: (event, scope) =>
          run.actors.isWithin(event.path, definition) ? hook.handle(event, scope) : undefined,
      })),
    );
  };
};
