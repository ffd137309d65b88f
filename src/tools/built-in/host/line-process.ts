import { randomUUID } from 'node:crypto';
import { spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { messageOf, TroupeError } from '../../../contracts/errors/error.ts';
import { hasMarks, killMarked, MARK } from './marked.ts';
import { killGroup } from './spawn.ts';

/** The parameters of a program that is spoken to by lines. */
export interface LinePlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd?: string | undefined;
  /** Variables that it sees beside those of this process that every program needs: no other. */
  readonly env: Readonly<Record<string, string>>;
  /** A longer line ends the program, in bytes. */
  readonly maxLineBytes: number;
  readonly onLine: (line: string) => void;
  /** Called once, with the reason, when the program is over. */
  readonly onEnd: (reason: string) => void;
}

/** Variables of this process that a program sees; all others are withheld from it. */
const INHERITED = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LC_ALL',
  'SHELL',
  'TERM',
  'TZ',
  'TMPDIR',
  'SystemRoot',
  'TEMP',
  'APPDATA',
  'LOCALAPPDATA',
  'USERPROFILE',
  'PATHEXT',
  'COMSPEC',
] as const;

/** The last part of what it wrote to its error output, in characters. */
const MOST_ERRORS = 2_000;

/** Time to end by itself once its input is closed, and then after a signal, in ms. */
const GRACE_MS = 300;

/**
 * A program of this machine, in a process group of its own, that reads and writes lines.
 *
 * I1 When it is over, so is all that it started: its group is killed, and where marks can be read, what left the group.
 */
export class LineProcess {
  readonly #child;
  readonly #plan: LinePlan;
  readonly #mark: string = randomUUID();
  readonly #over: Promise<void>;
  #errors = '';
  #rest: string[] = [];
  #restLength = 0;
  #reason: string | undefined;

  private constructor(plan: LinePlan) {
    this.#plan = plan;
    const { file, args, cwd, env } = plan;
    this.#child = spawn(file, [...args], {
      cwd,
      env: { ...inheritedVariables(), ...env, [MARK]: this.#mark },
      shell: false,
      detached: process.platform !== 'win32',
      windowsHide: true,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.#over = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#end(`it ended (${code === null ? `signal ${String(signal)}` : `exit code ${code}`})`);
        resolve();
      });
      this.#child.once('error', () => {
        resolve();
      });
    });
  }

  /** Starts a program; rejects if it cannot be started. */
  static start(plan: LinePlan): Promise<LineProcess> {
    const started = new LineProcess(plan);
    return new Promise((resolve, reject) => {
      const child = started.#child;
      child.once('spawn', () => {
        started.#listen();
        resolve(started);
      });
      child.once('error', (error) => {
        const message = `Cannot start '${plan.file}' as it failed: ${messageOf(error)}`;
        reject(new TroupeError('tool.setup', message, { cause: error }));
      });
    });
  }

  get pid(): number | null {
    return this.#child.pid ?? null;
  }

  /** The end of its error output. */
  get errors(): string {
    return this.#errors;
  }

  /** Waits for the rest of its error output once it is over; not for long, as what it started may hold that open. */
  drainErrors(): Promise<void> {
    const { stderr } = this.#child;
    if (stderr.closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, GRACE_MS);
      stderr.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Writes a line; rejects if it is over. */
  write(line: string): Promise<void> {
    if (this.#reason !== undefined) return Promise.reject(new Error(this.#reason));
    return new Promise((resolve, reject) => {
      this.#child.stdin.write(`${line}\n`, (error) => {
        if (error === null || error === undefined) resolve();
        else reject(error);
      });
    });
  }

  /** Closes its input, and kills it and all that it started unless they end by themselves. */
  async stop(): Promise<void> {
    this.#end('it was stopped');
    this.#child.stdin.end();
    if (!(await this.#isOverIn(GRACE_MS))) this.#child.kill('SIGTERM');
    await this.#isOverIn(GRACE_MS);
    killGroup(this.#child);
    if (hasMarks) await killMarked(this.#mark);
    for (const stream of [this.#child.stdin, this.#child.stdout, this.#child.stderr]) stream.destroy();
  }

  #listen(): void {
    const { stdin, stdout, stderr } = this.#child;
    const lines = new StringDecoder('utf8');
    const errors = new StringDecoder('utf8');
    stdout.on('data', (chunk: Buffer) => {
      this.#read(lines.write(chunk));
    });
    stderr.on('data', (chunk: Buffer) => {
      this.#errors = (this.#errors + errors.write(chunk)).slice(-MOST_ERRORS);
    });
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined);
  }

  #read(text: string): void {
    const [first = '', ...others] = text.split('\n');
    this.#add(first);
    for (const next of others) {
      if (this.#reason !== undefined) return;
      const line = this.#rest.join('');
      this.#rest = [];
      this.#restLength = 0;
      this.#plan.onLine(line);
      this.#add(next);
    }
  }

  #add(part: string): void {
    this.#rest.push(part);
    this.#restLength += part.length;
    if (this.#restLength <= this.#plan.maxLineBytes) return;
    this.#rest = [];
    this.#end(`it wrote a line of more than ${this.#plan.maxLineBytes} bytes`);
    killGroup(this.#child);
  }

  #isOverIn(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        resolve(false);
      }, ms);
      void this.#over.then(() => {
        clearTimeout(timer);
        resolve(true);
      });
    });
  }

  #end(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#plan.onEnd(reason);
  }
}

/** Functions of a shell, which begin like this, are no variables for a program. */
const SHELL_FUNCTION = '()';

const inheritedVariables = (): Readonly<Record<string, string>> => {
  const { env } = process;
  return Object.fromEntries(
    INHERITED.flatMap((name) => {
      const value = env[name];
      return value === undefined || value.startsWith(SHELL_FUNCTION) ? [] : [[name, value]];
    }),
  );
};
