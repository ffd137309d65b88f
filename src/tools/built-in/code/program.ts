import { canonical } from '../../../base/json/canonical.ts';
import type { Json } from '../../../base/json/json.ts';
import { toJson } from '../../../base/json/json.ts';
import type { ChosenCall } from '../../../contracts/agents/decision.ts';
import { TroupeError } from '../../../contracts/errors/error.ts';
import type {
  GuestError,
  SandboxCall,
  SandboxedProgram,
  SandboxEnd,
  SandboxLimits,
  SandboxReport,
} from './sandbox.ts';
import { Sandbox } from './sandbox.ts';

/** A call that a program made, with its answer: what running it again needs. */
export type AnsweredCall = {
  readonly tool: string;
  /** As the program gave it. */
  readonly input: Json;
  readonly ok: boolean;
  /** The value of a call that worked. */
  readonly value?: Json | undefined;
  /** The failure of one that did not, as the program catches it. */
  readonly error?: { readonly message: string; readonly code: string; readonly kind: string } | undefined;
};

/** The end of a program, as plain JSON. */
export type ProgramEnd =
  | { readonly ok: true; readonly output?: Json; readonly console: readonly string[] }
  | { readonly ok: false; readonly error: string; readonly console: readonly string[] };

/** Calls to be answered, or the end. */
export type ProgramStep =
  | { readonly kind: 'calls'; readonly calls: readonly ChosenCall[] }
  | { readonly kind: 'end'; readonly end: ProgramEnd };

/**
 * A program that runs from answer to answer.
 *
 * I1 It follows from its code, its moment, its seed and the answers alone: run again, it makes the same calls in the same
 *    order. So a program whose process is gone is started again, and given the answers that are on record.
 * I2 The calls that it makes before it can only wait are answered together, in the order in which it made them.
 */
export class Program {
  readonly #program: SandboxedProgram;
  readonly #limits: SandboxLimits;
  #sandbox: Sandbox | undefined;
  readonly #made: SandboxCall[] = [];
  readonly #console: string[] = [];
  /** Number of calls whose answers it has. */
  #answered = 0;
  #end: SandboxEnd | undefined;
  #isLate = false;
  #isClosed = false;

  constructor(program: SandboxedProgram, limits: SandboxLimits) {
    this.#program = program;
    this.#limits = limits;
  }

  /**
   * Continues with all answers so far, until it waits for calls without one, or ends.
   *
   * @throws {TroupeError} `journal.diverged` if an answer is to another call; `tool.package-missing` without QuickJS.
   */
  async advance(answers: readonly AnsweredCall[]): Promise<ProgramStep> {
    const sandbox = await this.#start();
    while (this.#end?.ok !== false && this.#answered < Math.min(this.#made.length, answers.length)) {
      const from = this.#answered;
      const batch = this.#made
        .slice(from)
        .map((call, index) => answerTo(call, answers[from + index], from + index));
      this.#answered = this.#made.length;
      this.#take(await sandbox.answer(JSON.stringify(batch)));
    }
    return this.#step();
  }

  /** Ends it, wherever it is. */
  close(): void {
    this.#isClosed = true;
    this.#sandbox?.close();
  }

  async #start(): Promise<Sandbox> {
    if (this.#sandbox !== undefined) return this.#sandbox;
    const sandbox = await Sandbox.start(this.#program, this.#limits);
    this.#sandbox = sandbox;
    // Loading QuickJS takes its time, and nobody may wait for the program any more.
    if (this.#isClosed) sandbox.close();
    this.#take(await sandbox.begun);
    return sandbox;
  }

  #take({ calls, console, end, isLate }: SandboxReport): void {
    this.#made.push(...calls);
    this.#console.push(...console);
    this.#end ??= end;
    this.#isLate ||= isLate === true;
  }

  #step(): ProgramStep {
    const console = this.#console;
    const open = this.#made.slice(this.#answered);
    const end = this.#end;
    if (this.#isLate)
      return failed(`It used up its computing time: ${this.#limits.computeMs} ms${lineOf(end)}`, console);
    if (end?.ok === false) return failed(failureText(end.error, open.length), console);
    // Calls that nobody waits for are made nevertheless.
    if (open.length > 0) return { kind: 'calls', calls: open.map(callFrom) };
    if (end === undefined) return failed('It waits for a promise that nothing settles', console);
    const output = end.output === '' ? {} : { output: JSON.parse(end.output) as Json };
    return { kind: 'end', end: { ok: true, ...output, console } };
  }
}

const failed = (error: string, console: readonly string[]): ProgramStep => ({
  kind: 'end',
  end: { ok: false, error, console },
});

/** The sandbox writes JSON only; as it will be on record. */
const callFrom = ({ name, input }: SandboxCall): ChosenCall => ({ name, input: toJson(JSON.parse(input)) });

const answerTo = (
  call: SandboxCall,
  answer: AnsweredCall | undefined,
  id: number,
): Omit<AnsweredCall, 'tool' | 'input'> & { id: number } => {
  const made = callFrom(call);
  if (answer?.tool === made.name && canonical(answer.input) === canonical(made.input)) {
    const { tool: _tool, input: _input, ...outcome } = answer;
    return { id, ...outcome };
  }
  throw new TroupeError(
    'journal.diverged',
    `Cannot continue the program as its call ${id + 1} is another than the one on record: it calls '${made.name}', the record has ${answer === undefined ? 'none' : `'${answer.tool}'`}`,
    { retryable: 'no' },
  );
};

/** Lines of the program's own stack that a failure shows. */
const MAX_LINES = 5;

const failureText = ({ name, message, stack }: GuestError, unmade: number): string => {
  const lines = stack
    .split('\n')
    .filter((line) => line.includes('program.js:'))
    .slice(0, MAX_LINES);
  const problem =
    name === 'RangeError' && message.includes('call stack') ? 'it nests too deeply' : `${name}: ${message}`;
  const left = unmade === 0 ? [] : [`(${unmade} calls that it had not waited for were not made)`];
  return [problem, ...lines, ...left].join('\n');
};

const lineOf = (end: SandboxEnd | undefined): string => {
  const place = end?.ok === false ? /program\.js:\d+/.exec(end.error.stack)?.[0] : undefined;
  return place === undefined ? '' : ` (${place})`;
};
