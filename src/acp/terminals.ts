import type * as sdk from '@agentclientprotocol/sdk';
import { messageOf, TroupeError } from '../contracts/errors/error.ts';
import type { ProcessOps, ProcessResult } from '../contracts/environments/operations.ts';

/** A command as a coding agent asks for it. */
export interface TerminalCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
}

interface Terminal {
  readonly stop: AbortController;
  readonly ended: Promise<ProcessResult>;
  readonly limit: number;
  result?: ProcessResult;
}

/**
 * The commands that a coding agent runs in its environment. Their output is there when they have ended, as an environment gives it then;
 * whatever still runs is killed with the session.
 */
export class Terminals {
  readonly #terminals = new Map<string, Terminal>();
  #count = 0;

  /** Starts a command; its end is `ended`, which never rejects. */
  start(
    { command, args, cwd }: TerminalCommand,
    processes: ProcessOps,
    limit: number,
  ): { readonly terminalId: string; readonly ended: Promise<ProcessResult> } {
    this.#count += 1;
    const terminalId = `terminal_${this.#count}`;
    const stop = new AbortController();
    const ended = processes
      .run(command, args, { cwd, signal: stop.signal })
      .catch((thrown: unknown): ProcessResult => failedResult(thrown, stop.signal.aborted));
    const terminal: Terminal = { stop, ended, limit };
    void ended.then((result) => {
      terminal.result = result;
    });
    this.#terminals.set(terminalId, terminal);
    return { terminalId, ended };
  }

  output(id: string): sdk.TerminalOutputResponse {
    const { result, limit } = this.#at(id);
    if (result === undefined) return { output: '', truncated: false };
    const whole = `${result.stdout}${result.stderr}`;
    // The protocol keeps the end of an output.
    const output = lastBytes(whole, limit);
    return { output, truncated: result.isCut || output !== whole, exitStatus: exitOf(result) };
  }

  async exit(id: string): Promise<sdk.WaitForTerminalExitResponse> {
    return exitOf(await this.#at(id).ended);
  }

  async kill(id: string): Promise<void> {
    const { stop, ended } = this.#at(id);
    stop.abort();
    await ended;
  }

  async release(id: string): Promise<void> {
    await this.kill(id);
    this.#terminals.delete(id);
  }

  async releaseAll(): Promise<void> {
    await Promise.all([...this.#terminals.keys()].map((id) => this.release(id)));
  }

  #at(id: string): Terminal {
    const terminal = this.#terminals.get(id);
    if (terminal !== undefined) return terminal;
    throw new TroupeError(
      'tool.failed',
      `Cannot find the terminal '${id}' as there is none, or it was released`,
    );
  }
}

const exitOf = ({ exitCode }: ProcessResult): sdk.TerminalExitStatus =>
  exitCode === null ? { signal: 'SIGKILL' } : { exitCode };

/** A command that could not run, or was killed: its reason is its output, as in a shell. */
const failedResult = (thrown: unknown, isKilled: boolean): ProcessResult => ({
  exitCode: isKilled ? null : 127,
  stdout: '',
  stderr: isKilled ? '' : messageOf(thrown),
  isCut: false,
  isTimedOut: false,
});

const lastBytes = (text: string, limit: number): string => {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= limit) return text;
  let start = bytes.length - limit;
  // Not within a character.
  while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return new TextDecoder().decode(bytes.subarray(start));
};
