import type { JournalStore } from '../../../src/contracts/journal.ts';

/** Where a process is killed; the n-th time that it comes there. */
export const killPoints = [
  'before the intent',
  'after the intent, in the store',
  'before the effect',
  'after the effect',
  'before the result',
  'after the result, in the store',
] as const;

export type KillPoint = (typeof killPoints)[number];

export interface Kill {
  readonly point: KillPoint;
  readonly time: number;
}

/** Ends this process as the operating system does, at the point that was chosen for it. */
export class Killer {
  readonly #kill: Kill | undefined;
  #times = 0;

  constructor(kill: Kill | undefined) {
    this.#kill = kill;
  }

  at(point: KillPoint): void {
    if (this.#kill?.point !== point) return;
    this.#times += 1;
    if (this.#times === this.#kill.time) process.kill(process.pid, 'SIGKILL');
  }

  /** A store in whose commits the process may die: before they are made, and before anybody knows that they are. */
  in(store: JournalStore): JournalStore {
    return new Proxy(store, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (name !== 'commit') return typeof value === 'function' ? value.bind(target) : value;
        const commit: JournalStore['commit'] = async (lease, given) => {
          const text = given.rows.map((row) => row.text).join('');
          const isIntent = text.includes('"phase":"ACT","type":"phase.entered"');
          const isResult = text.includes('"type":"tool.finished"');
          if (isIntent) this.at('before the intent');
          if (isResult) this.at('before the result');
          await target.commit(lease, given);
          if (isIntent) this.at('after the intent, in the store');
          if (isResult) this.at('after the result, in the store');
        };
        return commit;
      },
    });
  }
}
