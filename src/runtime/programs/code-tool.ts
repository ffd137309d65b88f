import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import {
  aBoolean,
  aFunction,
  anything,
  aText,
  formOr,
  listOf,
  optional,
  wholeNumber,
} from '../../base/schemas/option-schemas.ts';
import { sha256 } from '../../base/sha256.ts';
import { act, answer } from '../../contracts/agents/decision.ts';
import type { TakenDecision } from '../../contracts/agents/decision.ts';
import { optionsCheck } from '../../contracts/errors/check-options.ts';
import type { Tool, ToolContext, Toolset } from '../../contracts/tools/tool.ts';
import type { ToolResult } from '../../contracts/tools/tool-result.ts';
import { maxSteps } from '../../machines/stopping/stop-rules.ts';
import type { AnsweredCall, ProgramEnd } from '../../tools/built-in/code/program.ts';
import { ProgramTools } from '../../tools/built-in/code/program-tools.ts';
import type { Dual } from '../../tools/calls/tool-result.ts';
import { dual, failed, textOf } from '../../tools/calls/tool-result.ts';
import type { DefinedTool } from '../../tools/define/define-tool.ts';
import { tool } from '../../tools/define/define-tool.ts';
import { agent } from '../define/agent.ts';
import { checkAgentName } from '../define/define-agent.ts';

/** Options of {@link codeTool}. */
export interface CodeToolOptions {
  /** The tools and toolsets that programs may call. */
  readonly tools: readonly (Tool | Toolset)[];
  /** Default `run_code`. */
  readonly name?: string | undefined;
  /** More for the model, before the signatures of the tools. */
  readonly description?: string | undefined;
  /** True if a person must approve a program before it starts, or a function that says so. Default false: only what its tools need. */
  readonly approval?: boolean | ((input: { readonly code: string }) => boolean) | undefined;
  /** Computing time of a program, without its calls, in ms. Default 5,000. */
  readonly computeMs?: number | undefined;
  /** All of a program's memory, its interpreter included. Default 67,108,864 (64 MiB), at least 16,777,216. */
  readonly memoryBytes?: number | undefined;
  /** Maximum number of calls of a program. Default 100. */
  readonly maxCalls?: number | undefined;
}

/** The result of a program. */
export interface ProgramResult {
  /** Its return value; absent without one. */
  readonly output?: Json | undefined;
  /** Lines that it wrote to its console, up to 16,384 characters. */
  readonly console: readonly string[];
}

/** The memory that QuickJS starts with. */
const LEAST_MEMORY = 16 * 1024 * 1024;

const check = optionsCheck<CodeToolOptions>({ code: 'tool.invalid', owner: 'a code tool' }, () => ({
  tools: listOf(anything(), 'not a list of tools: write [ … ]'),
  name: optional(aText(1)),
  description: optional(aText()),
  approval: optional(formOr((given) => typeof given === 'function', aFunction(), aBoolean())),
  computeMs: optional(wholeNumber(1)),
  memoryBytes: optional(wholeNumber(LEAST_MEMORY)),
  maxCalls: optional(wholeNumber(1)),
}));

/**
 * The tool `run_code`: a model writes a JavaScript program over tools, which runs in a sandbox (QuickJS, in a thread of its own).
 *
 * Each call in a program is a tool call of the run like any other: with its events, checks, approval, budget, retries and abort. It is made by
 * an agent of the tool's name, a child of the calling one. Calls of one `Promise.all` run together. A program has no network, no files, no timers;
 * its clock stands still, and its random numbers follow from a seed, so that a run that is resumed starts the program again, answers its
 * calls from the record, and continues with the first that has no answer. What a program throws is a failed call, with its line.
 *
 * Needs `quickjs-emscripten-core` and `@jitl/quickjs-wasmfile-release-sync`, and threads (`node:worker_threads`).
 *
 * @example
 * const analyst = agent({ name: 'analyst', tools: [codeTool({ tools: [search, readPage], computeMs: 1_000 })] });
 *
 * @throws {TroupeError} `tool.invalid` without tools, for control tools (they act on the agent itself), for toolsets whose tools are known only
 * when a run opens them, and for invalid options; a call
 * fails with `tool.package-missing` without QuickJS.
 */
export const codeTool = (options: CodeToolOptions): DefinedTool<{ code: string }, ProgramResult> => {
  check(options);
  const { name: given = 'run_code', description = '', approval = false } = options;
  const { computeMs = 5_000, memoryBytes = 64 * 1024 * 1024, maxCalls = 100 } = options;
  const name = checkAgentName(given, 'a code tool');
  const tools = new ProgramTools(name, options.tools);
  const { requires, safety } = tools;
  return tool({
    name,
    description: [ABOUT, ...(description === '' ? [] : [description]), `Tools:\n${tools.signatures}`].join(
      '\n\n',
    ),
    input: z.object({ code: z.string().min(1).describe('The body of an async function, in JavaScript.') }),
    category: 'code',
    safety,
    // Calls that were answered are not made again: to repeat a program is to continue it.
    idempotent: true,
    retry: false,
    // Its computing time is limited; its calls have limits of their own, and a person may take days.
    timeoutMs: Infinity,
    approval: typeof approval === 'function' ? approval : () => approval,
    describe: ({ code }) => `Running a program of ${code.split('\n').length} lines`,
    ...(requires.length === 0 ? {} : { requires }),
    execute: ({ code }, context) =>
      runProgram(code, { name, tools, limits: { computeMs, memoryBytes, maxCalls } }, context),
  });
};

const ABOUT = [
  'Runs a program in JavaScript over the tools below, and gives what it returns. For work of several calls: loops, calls that depend on each other, much data of which little matters.',
  'The code is the body of an async function: `await` the tools, run independent calls by `Promise.all`, `return` a JSON value; `console.log` is shown to you.',
  'There are no imports, network, files or timers; time stands still. A failed call throws an error with `message` and `code`.',
].join('\n');

interface Plan {
  readonly name: string;
  readonly tools: ProgramTools;
  readonly limits: { readonly computeMs: number; readonly memoryBytes: number; readonly maxCalls: number };
}

/** Runs a program as a child of the run: an agent whose decisions are the program's calls. */
const runProgram = async (
  code: string,
  { name, tools, limits }: Plan,
  context: ToolContext,
): Promise<Dual<ProgramResult>> => {
  const { Program } = await import('../../tools/built-in/code/program.ts');
  const { inputSchema, endSchema } = await import('../../tools/built-in/code/program-schemas.ts');
  let program: InstanceType<typeof Program> | undefined;
  const runner = agent({
    name,
    description: 'A program over tools.',
    input: inputSchema,
    output: endSchema,
    tools: tools.within(context),
    state: NONE,
    // Each of its steps makes a call, but the last.
    stop: maxSteps(limits.maxCalls + 1),
    limits: { loops: false },
    failures: { timeoutMs: Infinity },
    reduce: ({ state, decision, results }) => [...state, ...answeredCalls(decision, results)],
    decide: async ({ state, tally: { startedAt: now } }) => {
      program ??= new Program({ code, now, seed: seedFor(code, now, context), tools: tools.names }, limits);
      const step = await program.advance(state);
      return step.kind === 'calls' ? act(...step.calls) : answer(step.end);
    },
  });
  try {
    const { output, stopReason } = await context.run(runner, { code });
    return output === undefined ? failed(`The program was stopped: ${stopReason.kind}`) : resultOf(output);
  } finally {
    program?.close();
  }
};

const NONE: readonly AnsweredCall[] = [];

/** A seed of what is equal in a run, its resumptions and its forks, and in no other program. */
const seedFor = (code: string, now: number, { path, callId }: ToolContext): number =>
  Number.parseInt(sha256(`${now} ${path} ${callId} ${code}`).slice(0, 8), 16);

/** The calls of a step with their results: what the program needs to run again. */
const answeredCalls = (
  decision: TakenDecision | undefined,
  results: readonly ToolResult[],
): readonly AnsweredCall[] =>
  decision?.kind !== 'act'
    ? []
    : decision.calls.flatMap(({ name, input }, index) => {
        const result = results[index];
        return result === undefined ? [] : [{ tool: name, input, ...outcomeOf(result) }];
      });

const outcomeOf = (result: ToolResult): Pick<AnsweredCall, 'ok' | 'value' | 'error'> =>
  result.ok
    ? { ok: true, value: result.value }
    : { ok: false, error: { message: result.text, code: result.error.code, kind: result.kind } };

const resultOf = (end: ProgramEnd): Dual<ProgramResult> => {
  const { console } = end;
  const written = console.length === 0 ? '' : `\n\nconsole:\n${console.join('\n')}`;
  if (!end.ok) return failed(`The program failed: ${end.error}${written}`);
  const { output } = end;
  const text =
    output === undefined ? 'The program returned nothing: `return` what you need.' : textOf(output);
  return dual({ text: `${text}${written}`, value: { ...(output === undefined ? {} : { output }), console } });
};
