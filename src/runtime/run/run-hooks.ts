import type { Hook, LiveEvent } from '../../contracts/events/event.ts';
import type { RunOptions } from '../../contracts/runs/run-options.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import { logHook } from '../../events/hooks/log-hook.ts';
import type { AttachedHooks } from '../../events/hooks/hooks.ts';
import { attachHooks } from '../../events/hooks/hooks.ts';
import type { Definition } from '../define/definition.ts';
import type { Run } from './run.ts';

/** Called with attached hooks, for a caller that has to wait for them. */
export type OnHooks = (hooks: AttachedHooks) => void;

/**
 * The hooks of a run: those of the caller and the root see every event, those of a member or child only the events at and below its
 * address.
 */
export class RunHooks {
  readonly #run: Run;
  readonly #root: Definition;
  readonly #options: HookOptions;
  readonly #onHooks: OnHooks | undefined;
  #known: SmallSet<Definition> | undefined;

  constructor(run: Run, root: Definition, options: HookOptions, onHooks: OnHooks | undefined) {
    this.#run = run;
    this.#root = root;
    this.#options = options;
    this.#onHooks = onHooks;
    const { hooks, log } = options;
    if (hooks === undefined && log === undefined && root.hooks.length === 0) return;
    const said = [...(hooks ?? NONE), ...root.hooks];
    this.#attach(log === undefined ? said : [...said, logHook(log)]);
  }

  /** Attaches the hooks of an engaged definition, once, so that an agent's hooks work wherever it runs. */
  engaged(definition: Definition): void {
    if (definition === this.#root || definition.hooks.length === 0) return;
    const known = (this.#known ??= new SmallSet());
    if (known.has(definition)) return;
    known.add(definition);
    const run = this.#run;
    this.#attach(
      definition.hooks.map((hook): Hook => ({
        ...hook,
        handle: (event, scope) =>
          run.actors.isWithin(event.path, definition) ? hook.handle(event, scope) : undefined,
      })),
    );
  }

  #attach(observers: readonly Hook[]): void {
    if (observers.length === 0) return;
    const run = this.#run;
    const { context, thread } = this.#options;
    if (observers.some(({ wantsRequests }) => wantsRequests === true)) run.log.sent.keep();
    const isRepeated = (event: LiveEvent): boolean => {
      const { from, to } = run.log.repeated;
      return event.type !== 'model.delta' && event.seq >= from && event.seq < to;
    };
    const attached = attachHooks(run.log.stream, observers, {
      clock: run.clock,
      scope: { context, thread, sent: run.log.shownSent, isRepeated },
      onFailure: (observer, error, event) => {
        run.observerFailed(observer, error, event);
      },
      onDropped: (observer, count) => {
        run.log.write({ type: 'observer.dropped', observer, count }, run.root);
      },
    });
    run.hooks.push(attached);
    this.#onHooks?.(attached);
  }
}

type HookOptions = Pick<RunOptions, 'hooks' | 'context' | 'thread' | 'log'>;

const NONE: readonly never[] = [];
