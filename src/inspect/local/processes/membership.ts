import { randomBytes } from 'node:crypto';
import { basename, relative } from 'node:path';
import { messageOf } from '../../../contracts/errors/error.ts';
import type { Feed } from '../feed.ts';
import type { CommandNotes } from './command-notes.ts';
import type { OtherProcess } from './other-process.ts';
import { OtherProcesses } from './other-processes.ts';
import { isAlive, newId, register } from './registration.ts';
import { openRuntimeFolder } from './runtime-folder.ts';

/** The part of an inspector in a command that shows several processes. */
export interface CommandPart {
  /** The program of this process, for people. Default: the file that Node was given. */
  readonly program?: string | undefined;
  /** True to follow other processes from the start, looked at or not: what they did is there when they are gone. */
  readonly isFollowing?: boolean | undefined;
  /** Called with each process that is found. */
  readonly onFound?: ((process: OtherProcess) => void) | undefined;
  /** The messages of the command on its page. */
  readonly notes?: CommandNotes | undefined;
}

/** The variable by which the processes of a command know the one whose page shows them, by its number. */
export const STARTER = 'TROUPE_INSPECT_UNDER';

/** The process whose page shows those that it has started; undefined where there is none. */
export const starterIn = (environment: Readonly<Record<string, string | undefined>>): number | undefined => {
  const given = environment[STARTER] ?? '';
  return /^[1-9]\d{0,9}$/.test(given) ? Number(given) : undefined;
};

/** The needs of a membership. */
export interface MembershipSetup {
  readonly isAlone: boolean;
  readonly control: boolean;
  readonly part: CommandPart;
}

/** An inspector that can be reached. */
interface Reachable {
  readonly port: number;
  readonly token: string;
  readonly live: Feed;
}

/** Time in ms for which a process that ends waits until the inspector that started it has read its runs. */
const READ_WITHIN_MS = 3_000;
const LOOK_MS = 20;
/** Time in ms within which those who read have to take what is left. */
const TAKE_WITHIN_MS = 1_000;

/** The place of an inspector among those of the user's processes: it finds them, and they find it, until it closes or the process ends. */
export class Membership {
  /** Undefined where it is alone. */
  readonly folder: string | undefined;
  readonly others: OtherProcesses;
  readonly sign = randomBytes(24).toString('base64url');
  readonly #id = newId();
  readonly #starter = starterIn(process.env);
  readonly #setup: MembershipSetup;
  #unregister: (() => void) | undefined;
  #problem: string | undefined;

  constructor(setup: MembershipSetup) {
    this.#setup = setup;
    const { isFollowing, onFound, notes } = setup.part;
    try {
      if (!setup.isAlone) this.folder = openRuntimeFolder();
    } catch (thrown) {
      this.#problem = messageOf(thrown);
    }
    this.others = new OtherProcesses({
      folder: this.folder,
      own: this.#id,
      isAlways: isFollowing,
      onFound,
      onNews: () => {
        notes?.renew();
      },
    });
  }

  /** The reason why it is alone although it need not be, or else what its command has to say. */
  get note(): string | undefined {
    return this.#problem ?? this.#setup.part.notes?.problem;
  }

  join({ port, token, live }: Reachable): void {
    if (this.folder === undefined) return;
    const remove = this.#register(this.folder, { port, token });
    if (remove === undefined) return;
    const onExit = (): void => {
      live.flush();
      remove();
    };
    const onIdle = (): void => {
      process.off('beforeExit', onIdle);
      if (live.recording.length > 0) void this.#awaitReaders(live);
    };
    process.once('exit', onExit);
    process.on('beforeExit', onIdle);
    this.#unregister = () => {
      process.off('exit', onExit);
      process.off('beforeExit', onIdle);
      remove();
    };
  }

  /** Leaves, once those who read have what there is. */
  async leave(live: Feed): Promise<void> {
    this.#unregister?.();
    this.others.close();
    await within(TAKE_WITHIN_MS, live.endRelays());
  }

  #register(folder: string, reached: Pick<Reachable, 'port' | 'token'>): (() => void) | undefined {
    const { control, part } = this.#setup;
    const program = (part.program ?? programOf(process.argv)).slice(0, LONGEST_PROGRAM);
    try {
      const about = { ...reached, sign: this.sign, control, program, under: this.#starter };
      return register(folder, this.#id, about);
    } catch (thrown) {
      this.#problem = `Other inspectors cannot find this one: ${messageOf(thrown)}`;
      return undefined;
    }
  }

  /** Keeps the process until the inspector that started it has read its runs. */
  async #awaitReaders(live: Feed): Promise<void> {
    const until = performance.now() + READ_WITHIN_MS;
    const under = this.#starter;
    // Others may read, too, and be quicker.
    while (under !== undefined && !live.isReadBy(under) && isAlive(under) && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    await within(TAKE_WITHIN_MS, live.endRelays());
  }
}

/** The file that a process runs. Not its arguments: these may be secret. */
const programOf = ([, file]: readonly string[]): string => {
  const path = file === undefined ? 'node' : relative(process.cwd(), file);
  return path.startsWith('..') ? basename(path) : path;
};

const LONGEST_PROGRAM = 200;

const within = async (ms: number, work: Promise<void>): Promise<void> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
};
