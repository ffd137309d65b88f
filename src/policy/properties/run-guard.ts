import { messageOf } from '../../contracts/errors/error.ts';
import type { RuntimeEvent } from '../../contracts/events/event.ts';
import { EVENT_VERSION } from '../../contracts/events/event-version.ts';
import type { Property } from '../../contracts/properties/property.ts';
import type { RunGuard, SafetyRefusal } from '../../contracts/tools/safety.ts';
import { PropertyMonitor } from './property-monitor.ts';

/**
 * Makes the guard of properties: what would violate one does not happen.
 *
 * I1 What has happened is read from the log of the run as it is needed: a resumed run judges by all of it, and a run in which nothing is
 *    called costs nothing.
 * I2 It fails closed: a property that throws denies all that follows.
 */
export const guardBy = (properties: readonly Property[]): RunGuard => {
  const runs = new WeakMap<object, GuardedRun>();
  return (next, { path, agent }, step, log) => {
    const run = runs.get(log) ?? new GuardedRun(properties);
    runs.set(log, run);
    const started = log.at(0);
    if (started === undefined) return undefined;
    const { runId } = started;
    const at = log.at(log.length - 1)?.at ?? started.at;
    const frame = { v: EVENT_VERSION, seq: log.length, at, runId, path, agent, step };
    // A body with the common fields is an event of its type.
    return run.refusalOf({ ...frame, ...next } as RuntimeEvent, log);
  };
};

type Log = Parameters<RunGuard>[3];

/** The properties of one run, and the calls that have begun. */
class GuardedRun {
  readonly #monitor: PropertyMonitor;
  #read = 0;
  #failure: string | undefined;

  constructor(properties: readonly Property[]) {
    this.#monitor = new PropertyMonitor(properties);
  }

  refusalOf(next: RuntimeEvent, log: Log): SafetyRefusal | undefined {
    try {
      this.#catchUp(log);
      const found = this.#failure === undefined ? this.#monitor.wouldViolate(next) : undefined;
      if (found !== undefined)
        return denialOf(found.rule, `it would violate the run's properties: ${found.reason}`, next);
    } catch (thrown) {
      this.#failure ??= messageOf(thrown);
    }
    return this.#failure === undefined
      ? undefined
      : denialOf('properties', `a property of the run failed: ${this.#failure}`, next);
  }

  #catchUp(log: Log): void {
    for (; this.#read < log.length; this.#read += 1) {
      const event = log.at(this.#read);
      if (event === undefined) return;
      this.#monitor.take(event);
    }
  }
}

/** Of a model the reason is the whole message: nobody else says what was not asked, and why. */
const denialOf = (rule: string, why: string, next: RuntimeEvent): SafetyRefusal => ({
  verdict: 'deny',
  rule,
  reason:
    next.type === 'model.asked' ? `Cannot ask ${next.model} as the rule '${rule}' denies it: ${why}` : why,
});
