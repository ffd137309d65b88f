import { copyPlain } from '../../base/json/copy-plain.ts';
import type { Clock } from '../../base/clock.ts';
import type { Part } from '../../contracts/content/part.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, isTroupeError, messageOf } from '../../contracts/errors/error.ts';
import type { ToolExecutor } from '../../contracts/tools/executor.ts';
import { toJson } from '../../base/json/json.ts';
import type { Checked } from '../../base/schemas/schema.ts';
import type { Tool, ToolContext } from '../../contracts/tools/tool.ts';
import type { ToolCall } from '../../contracts/tools/tool-call.ts';
import type { ToolErrorKind, ToolFailure, ToolResult } from '../../contracts/tools/tool-result.ts';
import { classifyToolError, statusOf } from './classify-tool-error.ts';
import type { LazyAbort } from '../../base/promises/lazy-abort.ts';
import { misfitText } from './misfit.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import type { TakesContent } from './tool-result.ts';
import { failure, success, takeFailedParts } from './tool-result.ts';

/** Parameters of a call's execution. */
export interface PerformOptions {
  /** Measures the time-out and the duration. */
  readonly clock: Clock;
  /**
   * The abort of this very attempt: what `context.signal` reads from. Aborting it settles the call as `cancelled`
   * within a tick; the time-out aborts it.
   */
  readonly abort: LazyAbort;
  /** Calls `onLate` once `ms` have passed without what the call waits for a person; returns a function that stops this. Default: by the clock. */
  afterWork?(ms: number, onLate: () => void): () => void;
  /** Takes the media of its result. Default: their bytes are dropped. */
  readonly content?: TakesContent | undefined;
  /** The result of an earlier `tool.check` of the input. */
  readonly checkedInput?: Checked<unknown> | undefined;
  /** Executes the call in place of the tool. */
  readonly executor?: ToolExecutor | undefined;
  /** Called with a success that arrives after the call has ended. */
  readonly onLate?: ((result: ToolResult) => void) | undefined;
}

/**
 * Executes one attempt of a call: validate, execute, convert the result. Never throws, never rejects.
 *
 * A synchronous tool yields a synchronous result; only a promise is awaited, under the tool's time-out. A promise that
 * never settles ends as `timeout` nevertheless, and its later result is dropped.
 *
 * @example
 * const abort = new LazyAbort();
 * const result = await performCall(add, { id: 'call_0_0', name: 'add', input: { a: 1, b: 2 } }, context, { clock, abort });
 * result.text // => '3'
 */
export const performCall = (
  tool: Tool,
  call: ToolCall,
  context: ToolContext,
  options: PerformOptions,
): ToolResult | Promise<ToolResult> => new Attempt(tool, call, context, options).perform();

const startTimer = (clock: Clock, ms: number, onLate: () => void): (() => void) => {
  const timer = clock.setTimeout(onLate, ms);
  return () => {
    clock.clearTimeout(timer);
  };
};

/** A call in progress, so that its parts need not pass six arguments around. */
class Attempt {
  readonly #tool: Tool;
  readonly #call: ToolCall;
  readonly #context: ToolContext;
  readonly #options: PerformOptions;
  readonly #startedAt: number;

  constructor(tool: Tool, call: ToolCall, context: ToolContext, options: PerformOptions) {
    this.#tool = tool;
    this.#call = call;
    this.#context = context;
    this.#options = options;
    this.#startedAt = options.clock.now();
  }

  perform(): ToolResult | Promise<ToolResult> {
    const { problem, input } = this.#call;
    if (problem !== undefined)
      return this.#invalid(`Cannot call '${this.#call.name}' as its arguments cannot be read: ${problem}`);
    if (this.#options.abort.isAborted) return this.#cancelled(this.#options.abort.reason);
    let checked: Checked<unknown> | Promise<Checked<unknown>>;
    try {
      // A copy: the tool may change its input, and the recorded one stays as it is.
      checked = this.#options.checkedInput ?? this.#tool.check(copyPlain(input));
    } catch (thrown) {
      return this.#brokenCheck(thrown);
    }
    if (!isThenable(checked)) return this.#execute(checked);
    return this.#settle(
      Promise.resolve(checked).then(
        (settled) => this.#execute(settled),
        (thrown: unknown) => this.#brokenCheck(thrown),
      ),
      (result) => result,
    );
  }

  #execute(checked: Checked<unknown>): ToolResult | Promise<ToolResult> {
    if (!checked.ok) return this.#invalid(misfitText(this.#call.name, checked.issues), checked.issues);
    // An asynchronous check may have outlived the call.
    if (this.#options.abort.isAborted) return this.#cancelled(this.#options.abort.reason);
    try {
      const returned = this.#run(checked.value);
      return isThenable(returned)
        ? this.#settle(Promise.resolve(returned), (value) => this.#succeed(value))
        : this.#succeed(returned);
    } catch (thrown) {
      return this.#threw(thrown);
    }
  }

  #run(input: unknown): unknown {
    const { executor } = this.#options;
    const tool = this.#tool;
    const context = this.#context;
    if (executor === undefined) return tool.execute(input, context);
    const run = (other: unknown = input): unknown => tool.execute(other, context);
    return executor({ tool: tool.name, facts: tool, input, context, run });
  }

  /** Waits for the first of: the work, its time-out, the abort. */
  #settle<T>(work: Promise<T>, toResult: (value: T) => ToolResult): Promise<ToolResult> {
    const { clock, abort } = this.#options;
    const { timeoutMs } = this.#tool;
    return new Promise((resolve) => {
      let isOver = false;
      let forget = (): void => undefined;
      const finish = (result: () => ToolResult): void => {
        if (isOver) return;
        isOver = true;
        stopTimer();
        forget();
        resolve(result());
      };
      const onTimeout = (): void => {
        const result = this.#timedOut();
        finish(() => result);
        // After the result is settled, or the abort would make it `cancelled`.
        abort.abort(new DOMException(result.error.message, 'TimeoutError'));
      };
      const stopTimer =
        this.#options.afterWork?.(timeoutMs, onTimeout) ?? startTimer(clock, timeoutMs, onTimeout);
      // Synchronously, if the tool itself caused the abort: so the timer comes first.
      forget = abort.onAbort((reason) => finish(() => this.#cancelled(reason)));
      work.then(
        (value) => {
          if (isOver) this.#late(toResult(value));
          else finish(() => toResult(value));
        },
        (thrown: unknown) => finish(() => this.#threw(thrown)),
      );
    });
  }

  /** A late failure of a cancelled call is ignored: only work that was done after all is reported. */
  #late(result: ToolResult): void {
    if (result.ok) this.#options.onLate?.(result);
  }

  #succeed(returned: unknown): ToolResult {
    try {
      return success(this.#call, returned, this.#effort(), this.#options.content);
    } catch (thrown) {
      return this.#threw(thrown);
    }
  }

  #invalid(message: string, issues?: unknown): ToolFailure {
    const details = issues === undefined ? {} : { details: toJson(issues) };
    return this.#fail('validation', { code: 'tool.input-invalid', message, retryable: 'maybe', ...details });
  }

  #threw(thrown: unknown): ToolFailure {
    const status = statusIn(thrown);
    const error = errorData(thrown === undefined ? 'it threw undefined' : thrown, 'tool.failed', {
      message: `Cannot finish '${this.#call.name}' as it failed`,
      retryable: classifyToolError(thrown),
      ...(status === undefined ? {} : { status }),
    });
    return this.#fail(kindOf(thrown), error, takeFailedParts(thrown, this.#options.content));
  }

  #brokenCheck(thrown: unknown): ToolFailure {
    const message = `Cannot check the input of '${this.#call.name}' as its schema threw`;
    return this.#fail('system', errorData(thrown, 'tool.failed', { message }));
  }

  #timedOut(): ToolFailure {
    const message = `Cannot wait for '${this.#call.name}' any longer as it is past its time-out: ${this.#tool.timeoutMs} ms`;
    return this.#fail('timeout', { code: 'tool.timeout', message, retryable: 'yes' });
  }

  #cancelled(reason: unknown): ToolFailure {
    const why = messageOf(reason ?? 'no reason was given');
    const message = `Cannot finish '${this.#call.name}' as it was cancelled: ${why}`;
    return this.#fail('cancelled', { code: 'tool.cancelled', message, retryable: 'no' });
  }

  #fail(kind: ToolErrorKind, error: ErrorData, shown?: readonly Part[]): ToolFailure {
    const { runId, path, step } = this.#context;
    const where = { tool: this.#call.name, runId, path, step, phase: 'ACT', operation: 'act' };
    return failure(this.#call, kind, { ...error, ...where }, this.#effort(), shown);
  }

  #effort(): { durationMs: number; attempts: number } {
    return { durationMs: this.#options.clock.now() - this.#startedAt, attempts: this.#context.attempt };
  }
}

/** A thrown value may throw when it is looked at. */
const statusIn = (thrown: unknown): number | undefined => {
  try {
    return statusOf(thrown);
  } catch {
    return undefined;
  }
};

/** A tool may throw a TroupeError for a more specific kind than "failed". */
const kindOf = (thrown: unknown): ToolErrorKind => {
  if (isTroupeError(thrown, 'tool.input-invalid')) return 'validation';
  if (isTroupeError(thrown, 'tool.timeout')) return 'timeout';
  if (isTroupeError(thrown, 'tool.denied')) return 'denied';
  if (isTroupeError(thrown, 'internal')) return 'system';
  return 'execution';
};
