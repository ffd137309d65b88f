import type { DiagramSubject } from '../../machines/diagrams/composition.ts';
import type { Approver } from '../../contracts/people/approval-terms.ts';
import type { CommandName } from './command-shapes.ts';
import { shapes } from './command-shapes.ts';
import type { InspectValues } from './inspector-request.ts';
import { inspectorRequest, inspectorRequestIfAny } from './inspector-request.ts';
import { namedModule } from './named-module.ts';
import { countOf, dollarsOf, durationOf, endStatusesOf, statusesOf, textOf } from './option-values.ts';
import type { Target } from '../../inspect/suggestions/suggestion.ts';
import { targets } from '../../inspect/suggestions/suggestion.ts';
import type { AuditValues } from '../audit/audit-command.ts';
import { auditCommandFrom } from '../audit/audit-command.ts';
import type { BlameValues } from '../blame/blame-command.ts';
import { blameCommandFrom } from '../blame/blame-command.ts';
import { coverageCommandFrom } from '../coverage/coverage-command.ts';
import type { EvalValues } from '../evals/eval-command.ts';
import { evalCommandFrom, feedbackCommandFrom, resilienceCommandFrom } from '../evals/eval-command.ts';
import type { VerifyValues } from '../verify/verify-command.ts';
import { simulateCommandFrom } from '../simulate/simulate-command.ts';
import { verifyCommandFrom } from '../verify/verify-command.ts';
import type { NewValues } from '../new/new-command.ts';
import { newCommandFrom } from '../new/new-command.ts';
import { schedulesCommandFrom } from '../schedules/schedules-command.ts';
import { traceCommandFrom } from '../trace/trace-command.ts';
import { folderOf } from './option-values.ts';
import type { ServingValues } from './serving-request.ts';
import { serveFrom, workerFrom } from './serving-request.ts';
import { wrong } from './wrong-usage.ts';
import type {
  Code,
  Command,
  ShowCommand,
  InspectProgramCommand,
  ForkCommand,
  RehearseCommand,
} from './commands.ts';

export type { CommandName } from './command-shapes.ts';

/** Parsed values of options, by name. */
interface OwnValues
  extends InspectValues, AuditValues, BlameValues, EvalValues, NewValues, ServingValues, VerifyValues {
  readonly data?: boolean | undefined;
  readonly by?: string | undefined;
  readonly role?: string | undefined;
  readonly export?: string | undefined;
  readonly to?: string | undefined;
  readonly of?: string | undefined;
  readonly file?: string | undefined;
  readonly agent?: string | undefined;
  readonly budget?: string | undefined;
  readonly memory?: string | undefined;
  readonly status?: string | undefined;
  readonly limit?: string | undefined;
  readonly target?: string | undefined;
  readonly step?: string | undefined;
  readonly call?: string | undefined;
  readonly 'all-due'?: boolean | undefined;
  readonly at?: string | undefined;
  readonly event?: string | undefined;
  readonly text?: string | undefined;
  readonly calls?: string | undefined;
  readonly state?: string | undefined;
  readonly message?: string | undefined;
  readonly input?: string | undefined;
  readonly reason?: string | undefined;
  readonly request?: string | undefined;
  readonly resume?: boolean | undefined;
  readonly 'older-than'?: string | undefined;
  readonly 'dry-run'?: boolean | undefined;
  readonly blobs?: string | undefined;
  readonly trace?: string | undefined;
  readonly speed?: string | undefined;
  readonly html?: string | undefined;
  readonly mermaid?: string | undefined;
  readonly ndjson?: boolean | undefined;
  readonly svg?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly taken?: boolean | undefined;
  readonly unproven?: boolean | undefined;
  readonly check?: string | undefined;
  readonly tested?: string | undefined;
}

/** Default number of runs listed. */
const LISTED = 20;
/** Runs whose ways are counted. */
const COUNTED = 100;
/** Runs that suggestions are looked for in, and that are rehearsed. */
const EXAMINED = 1_000;

/**
 * Builds the command `inspect` for a command of another program.
 *
 * @throws {TroupeError} `command.usage`
 */
export const inspectProgramFrom = (
  [program, ...args]: readonly string[],
  [astray]: readonly string[],
  values: OwnValues,
): InspectProgramCommand => {
  if (program === undefined)
    throw wrong('no command follows --: write troupe inspect -- node app.js', 'inspect');
  const option = (['data', 'export', 'blobs'] as const).find((each) => values[each] !== undefined);
  const stray = astray ?? (option && `--${option}`);
  if (stray !== undefined)
    throw wrong(`the command after -- is run as it is: it has no use for ${stray} before it`, 'inspect');
  return { name: 'inspect-program', program: [program, ...args], wish: inspectorRequest(values, 'inspect') };
};

/**
 * Builds a command from its name, its arguments, and its options.
 *
 * @throws {TroupeError} `command.usage`
 */
export const commandFrom = (name: CommandName, rest: readonly string[], values: OwnValues): Command => {
  const { needs, optional } = shapes[name];
  const unexpected = rest[needs.length + optional];
  if (unexpected !== undefined)
    throw wrong(`'${unexpected}' is unexpected: quote arguments with spaces`, name);
  const missing = needs.find((_, index) => (rest[index] ?? '').trim() === '');
  if (missing !== undefined) throw wrong(missing, name);
  const [first = '', second] = rest;
  textOf(values.export, '--export', name);
  const isParked = values.park ?? false;
  const code = codeOf(values, name);
  switch (name) {
    case 'new':
      return newCommandFrom(folderOf(rest[0], 'the argument', name), values);
    case 'ask': {
      if (rest[0]?.trim() === '') throw wrong('the question is empty', name);
      const memory = folderOf(values.memory, '--memory', name);
      const trace = folderOf(values.trace, '--trace', name);
      const budget = dollarsOf(values.budget, name);
      const inspect = inspectorRequestIfAny(values, name);
      return { name, question: rest[0], folder: second, budget, memory, trace, inspect, isParked };
    }
    case 'run': {
      const trace = folderOf(values.trace, '--trace', name);
      const inspect = inspectorRequestIfAny(values, name);
      const named = namedModule(first, values.export, name);
      return { name, ...named, input: second, isData: values.data ?? false, trace, inspect, isParked };
    }
    case 'inspect': {
      const wish = inspectorRequest(values, name);
      const blobs = folderOf(values.blobs, '--blobs', name);
      const isData = values.data ?? false;
      return { name, ...codeIn(rest[0], values, name), input: second, isData, blobs, wish };
    }
    case 'dev': {
      const wish = inspectorRequest({ ...values, control: true }, name);
      return {
        name,
        ...namedModule(first, values.export, name),
        input: second,
        isData: values.data ?? false,
        wish,
      };
    }
    case 'graph':
      if (values.svg === true && values.json === true)
        throw wrong('one excludes the other: --json and --svg', name);
      return {
        name,
        ...namedModule(first, values.export, name),
        of: subjectOf(values, name),
        isSvg: values.svg ?? false,
        isTaken: values.taken ?? false,
        limit: countOf(values.limit, '--limit', name) ?? COUNTED,
      };
    case 'mcp':
      return { name, ...namedModule(first, values.export, name) };
    case 'serve':
      return serveFrom(first, values);
    case 'worker':
      return workerFrom(rest, values);
    case 'runs':
      return {
        name,
        status: statusesOf(values.status, name),
        limit: countOf(values.limit, '--limit', name) ?? LISTED,
      };
    case 'show':
      return showFrom(first, values);
    case 'resume':
      return { name, ...code, runId: toResume(rest[0], values), isParked };
    case 'replay':
      return { name, ...code, runId: first };
    case 'fork':
      return { ...code, ...forkFrom(first, values), isParked };
    case 'compare':
      return { name, runId: first, other: second ?? '' };
    case 'suggest':
      return {
        ...code,
        name,
        target: targetOf(values.target),
        limit: countOf(values.limit, '--limit', name) ?? EXAMINED,
        isUnprovenShown: values.unproven ?? false,
      };
    case 'blame':
      return blameCommandFrom(first, code, values);
    case 'eval':
      return evalCommandFrom(first, values);
    case 'feedback':
      return feedbackCommandFrom(first, second, values);
    case 'resilience':
      return resilienceCommandFrom(first, second, values);
    case 'coverage':
      return coverageCommandFrom(first, values);
    case 'verify':
      return verifyCommandFrom(first, values.export, values);
    case 'simulate':
      return simulateCommandFrom(first, values);
    case 'rehearse':
      return rehearseFrom(values);
    case 'upgrade': {
      const candidate = textOf(values.check, '--check', name);
      if (candidate === undefined) throw wrong('the new version is missing: give --check FILE', name);
      return { name, ...namedModule(candidate, values.export, name) };
    }
    case 'approve':
    case 'deny':
    case 'answer': {
      const isAnswer = name === 'answer';
      return {
        name,
        runId: first,
        request: isAnswer ? textOf(values.request, '--request', name) : second,
        text: isAnswer ? second : values.reason,
        input: values.input,
        by: approverOf(values, name),
        isResumed: values.resume ?? false,
      };
    }
    case 'export':
      return { name, runId: first, to: second };
    case 'import':
      return { name, from: first, ...code };
    case 'move': {
      const to = textOf(values.to, '--to', name);
      if (to === undefined) throw wrong('the other store is missing: give --to STORE', name);
      return { name, runId: first, to };
    }
    case 'prune': {
      const olderThanMs = durationOf(values['older-than'], '--older-than', name);
      if (olderThanMs === undefined) throw wrong('the age is missing: give --older-than 30d', name);
      const isDryRun = values['dry-run'] ?? false;
      const blobs = folderOf(values.blobs, '--blobs', name);
      return { name, olderThanMs, status: endStatusesOf(values.status, name), blobs, isDryRun };
    }
    case 'schedules':
      return schedulesCommandFrom(rest);
    case 'trace':
      return traceCommandFrom(rest, values);
    case 'audit':
      return auditCommandFrom(rest, values, Date.now());
  }
};

const rehearseFrom = (values: OwnValues): RehearseCommand => {
  const name = 'rehearse';
  const file = textOf(values.candidate, '--candidate', name);
  if (file === undefined) throw wrong('the changed agent is missing: give --candidate FILE', name);
  const { live = false, tools = 'recorded' } = values;
  if (tools !== 'recorded' && tools !== 'read')
    throw wrong(`--tools has no '${tools}': give recorded or read`, name);
  const idle = (['tools', 'budget'] as const).find((each) => values[each] !== undefined);
  if (!live && idle !== undefined) throw wrong(`--${idle} is of use with --live only`, name);
  return {
    name,
    ...namedModule(file, values.export, name),
    run: textOf(values.run, '--run', name),
    limit: countOf(values.limit, '--limit', name) ?? EXAMINED,
    isLive: live,
    tools,
    budget: dollarsOf(values.budget, name),
  };
};

const targetOf = (given = 'cost'): Target => {
  const target = targets.find((each) => each === given);
  if (target === undefined)
    throw wrong(`--target has no '${given}': give one of ${targets.join(', ')}`, 'suggest');
  return target;
};

const approverOf = ({ by, role }: OwnValues, about: CommandName): Approver | undefined => {
  const name = textOf(by, '--by', about);
  const roles = textOf(role, '--role', about)
    ?.split(',')
    .map((each) => each.trim());
  if (name === undefined && roles !== undefined)
    throw wrong(`--role '${role ?? ''}' is that of a person: give --by NAME, too`, about);
  return name === undefined ? undefined : { name, roles: (roles ?? []).filter((each) => each !== '') };
};

/** The module of `--agent`, or by its first name, `--file`. */
const codeOf = (values: OwnValues, name: CommandName): Code => {
  const { agent, file } = values;
  if (agent !== undefined && file !== undefined)
    throw wrong('one excludes the other: --agent and --file', name);
  const option = agent === undefined ? '--file' : '--agent';
  return { ...codeIn(textOf(agent ?? file, option, name), values, name), option };
};

const codeIn = (given: string | undefined, values: OwnValues, name: CommandName): Code =>
  given === undefined
    ? { file: undefined, exportName: values.export }
    : namedModule(given, values.export, name);

/** The subject of a graph: arrows that were taken are those of a chart. */
const subjectOf = ({ of, taken = false }: OwnValues, name: CommandName): DiagramSubject => {
  if (of === undefined) return taken ? 'chart' : 'composition';
  if (of !== 'chart' && of !== 'composition')
    throw wrong(`--of is neither chart nor composition: '${of}'`, name);
  if (taken && of === 'composition')
    throw wrong('one excludes the other: --of composition and --taken', name);
  return of;
};

const toResume = (runId: string | undefined, values: OwnValues): string | undefined => {
  const isAll = values['all-due'] ?? false;
  if (isAll === (runId !== undefined))
    throw wrong(
      isAll ? 'one excludes the other: a run and --all-due' : 'no run was named: give one, or --all-due',
      'resume',
    );
  const named = values.agent === undefined ? values.file && '--file' : '--agent';
  if (isAll && named !== undefined) throw wrong(`one excludes the other: ${named} and --all-due`, 'resume');
  return runId;
};

const showFrom = (
  runId: string,
  { step, call }: { readonly step?: string | undefined; readonly call?: string | undefined },
): ShowCommand => {
  if (step !== undefined && call !== undefined)
    throw wrong('one excludes the other: --step and --call', 'show');
  textOf(call, '--call', 'show');
  return { name: 'show', runId, step: countOf(step, '--step', 'show'), call };
};

const forkFrom = (runId: string, values: OwnValues): Omit<ForkCommand, 'isParked' | keyof Code> => {
  const name = 'fork';
  const step = countOf(values.at, '--at', name);
  const seq = countOf(values.event, '--event', name);
  const text = textOf(values.text, '--text', name);
  const calls = textOf(values.calls, '--calls', name);
  const state = textOf(values.state, '--state', name);
  const by = textOf(values.by, '--by', name);
  const message = textOf(values.message, '--message', name);
  if (step !== undefined && seq !== undefined) throw wrong('one excludes the other: --at and --event', name);
  const changing = text === undefined ? calls && '--calls' : '--text';
  if (state !== undefined && changing !== undefined)
    throw wrong(`one excludes the other: ${changing} and --state`, name);
  if (seq === undefined && changing !== undefined)
    throw wrong(`${changing} changes an event: name it by --event SEQ, in place of a step`, name);
  const at = seq === undefined ? step !== undefined && { step } : { seq };
  if (at === false) throw wrong('the place to fork at is missing: give --at STEP or --event SEQ', name);
  return { name, runId, at, message, text, calls, state, by };
};
