import type { JournalStore } from '../../../src/contracts/journals/journal.ts';

/** Where a process is killed; the n-th time that it comes there. */
export const killPoints = [
  'before the intent',
  'after the intent, in the store',
  'before the effect',
  'after the effect',
  'before the result',
  'after the result, in the store',
] as const;

/** Where else: around anything at all that is written. */
export const commitPoints = ['before a commit', 'after a commit, in the store'] as const;

export type KillPoint = (typeof killPoints)[number] | (typeof commitPoints)[number];

export interface Kill {
  readonly point: KillPoint;
  readonly time: number;
  /** Only the times within this stage of a pipeline count. */
  readonly stage?: string | undefined;
}

/** How often a process came by a point, by the stage of the pipeline in which that was (`''`: in none of them). */
export type Visits = Readonly<Record<string, Readonly<Partial<Record<KillPoint, number>>>>>;

/** The stage of a pipeline in which something happens, by the last path in what is said of it. */
const stageIn = (text: string): string => {
  const from = text.lastIndexOf('house/');
  return from < 0 ? '' : (/^house\/([^/#"]+)-\d/.exec(text.slice(from, from + 80))?.[1] ?? '');
};

/** Ends this process as the operating system does, at the point that was chosen for it. */
export class Killer {
  readonly visits: Record<string, Partial<Record<KillPoint, number>>> = {};
  readonly #kill: Kill | undefined;
  #times = 0;

  constructor(kill: Kill | undefined) {
    this.#kill = kill;
  }

  /** The process comes by a point, with whatever `about` says. */
  at(point: KillPoint, about: string): void {
    const stage = stageIn(about);
    const visits = (this.visits[stage] ??= {});
    visits[point] = (visits[point] ?? 0) + 1;
    if (this.#kill?.point !== point || stage !== (this.#kill.stage ?? stage)) return;
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
          if (isIntent) this.at('before the intent', text);
          if (isResult) this.at('before the result', text);
          this.at('before a commit', text);
          await target.commit(lease, given);
          if (isIntent) this.at('after the intent, in the store', text);
          if (isResult) this.at('after the result, in the store', text);
          this.at('after a commit, in the store', text);
        };
        return commit;
      },
    });
  }
}
