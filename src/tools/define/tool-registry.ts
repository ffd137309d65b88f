import { freezeJson } from '../../base/json/freeze-json.ts';
import type { ErrorData } from '../../contracts/errors/error-data.ts';
import { errorData, isTroupeError, messageOf } from '../../contracts/errors/error.ts';
import type { OpenToolset, Tool, Toolset, ToolsetOpening } from '../../contracts/tools/tool.ts';
import { APPROVE_PROVIDER_CALL } from '../../contracts/tools/provider-approval.ts';
import type { ToolCall, ToolSpec } from '../../contracts/tools/tool-call.ts';
import type { ToolFailure } from '../../contracts/tools/tool-result.ts';
import { isToolsetName, toolProblem } from './tool-options.ts';
import type { JsonSchema } from '../../base/json/json.ts';
import type { History } from '../../base/collections/history.ts';
import type { Turn } from '../../contracts/conversations/transcript.ts';
import { READ_RESULT } from '../calls/cut-text.ts';
import { AnnouncedTools } from './announced-tools.ts';
import { approvingTool } from './approve-provider-call.ts';
import { FIND_TOOLS, findTool } from './deferred-tools.ts';
import { readingTool } from './read-result.ts';
import { LazyAbort } from '../../base/promises/lazy-abort.ts';
import { SmallMap } from '../../base/collections/small-map.ts';
import { SmallSet } from '../../base/collections/small-set.ts';
import { withExecute } from '../wrappers/with-execute.ts';
import { entryOf, hasSecretFields, isDeferred, offeredTool, specOf } from './tool-entry.ts';
import type { ToolEntry } from './tool-entry.ts';
import { nameProblem } from './own-tools.ts';
import { unknownTool } from './unknown-tool.ts';
import { failure } from '../calls/tool-result.ts';

/** Maximum length of a name that providers accept, in characters, namespace included. */
const MAX_FULL_NAME = 256;
/** The part of a run in toolsets that open. */
export interface ToolsetHost {
  openingOf(toolset: string, signal: AbortSignal, tools: ToolsetOpening['tools']): ToolsetOpening;
  opened(toolset: string, open: OpenToolset): void;
}

/** The options of an agent that its tools depend on. */
export interface RegistryAgent {
  /** The schema of its answer: tools that complete with one take that. */
  readonly answer?: JsonSchema | undefined;
  /** The limit on a text in its conversation, in bytes. */
  readonly maxTextBytes?: number | undefined;
}

/** A toolset whose set-up was started. */
interface Begun {
  readonly toolset: Toolset;
  open?: OpenToolset;
}

/**
 * The tools of one run, by full name: `add` for a tool, `files.read` for a tool of the set `files`.
 *
 * Nothing throws: problems with tools and toolsets are collected as data. A change takes effect at the next {@link
 * ToolRegistry.specs}, so a model can only call tools that it has seen.
 *
 * @example
 * const registry = new ToolRegistry([add, files]);
 * const problems = [...registry.problems, ...(await registry.setup())];
 * registry.specs().map(({ name }) => name) // => ['add', 'files.read']
 */
export class ToolRegistry {
  #entries = new SmallMap<string, ToolEntry>();
  #problems: ErrorData[] = [];
  /** Entries and problems are those of another registry too: they are copied before a change. */
  #isShared = false;
  /** Sets in the order in which they were added, until set up. */
  readonly #waiting = new SmallSet<Toolset>();
  /** Toolsets whose set-up was started, in order; a failed one may hold resources, too. */
  readonly #begun: Begun[] = [];
  readonly #ready = new SmallSet<Toolset>();
  /** Number of set-ups requested and not finished. */
  #settingUp = 0;
  #work: Promise<readonly ErrorData[]> | undefined;
  #isChanged = true;
  #visible: ReadonlyMap<string, ToolEntry> | undefined;
  #specs: readonly ToolSpec[] = [];
  #hasSecretFields: boolean | undefined;
  #announced: AnnouncedTools | undefined;
  #offered: { readonly more: readonly ToolSpec[]; readonly specs: readonly ToolSpec[] } | undefined;
  readonly #agent: RegistryAgent;
  readonly #host: ToolsetHost | undefined;
  /** Aborted by tear-down. */
  readonly #closing = new LazyAbort();

  /** Without a `host`, no toolset opens. */
  constructor(items: readonly (Tool | Toolset)[] = [], agent: RegistryAgent = {}, host?: ToolsetHost) {
    this.#agent = agent;
    this.#host = host;
    for (const item of items) this.add(item);
  }

  /** Creates a copy, for registries without toolsets: both share their tables until one changes. */
  fork(): ToolRegistry {
    const fork = new ToolRegistry(NO_TOOLS, this.#agent);
    this.specs();
    fork.#entries = this.#entries;
    fork.#problems = this.#problems;
    fork.#isShared = true;
    this.#isShared = true;
    fork.#isChanged = false;
    fork.#visible = this.#visible;
    fork.#specs = this.#specs;
    fork.#hasSecretFields = this.#hasSecretFields;
    fork.#announced = this.#announced?.fork();
    return fork;
  }

  /** All that was wrong with what was added, so far. */
  get problems(): readonly ErrorData[] {
    return this.#problems;
  }

  /** True if a toolset waits for {@link ToolRegistry.setup}; its tools are not there before. */
  get needsSetup(): boolean {
    return this.#waiting.size > 0;
  }

  /** True if a set-up was started, or is pending, that {@link ToolRegistry.teardown} has not released. */
  get wasSetUp(): boolean {
    return this.#settingUp > 0 || this.#begun.length > 0;
  }

  /** Full names, as of the last {@link ToolRegistry.specs}. */
  get names(): readonly string[] {
    return [...this.#current().keys()];
  }

  /**
   * Adds a tool or a toolset; returns its problems (`tool.duplicate`, `tool.invalid`).
   *
   * Of two tools with one name the first stays.
   */
  add(item: Tool | Toolset): readonly ErrorData[] {
    this.#unshare();
    const before = this.#problems.length;
    if (isToolset(item)) this.#addSet(item);
    else this.#addTool(item, undefined);
    return this.#problems.slice(before);
  }

  /** Removes a tool (by its full name) or a whole toolset (by its name); false if there is none of that name. */
  remove(name: string): boolean {
    const gone = [...this.#entries.values()].filter(
      (entry) => entry.name === name || entry.toolset?.name === name,
    );
    if (gone.length > 0) this.#unshare();
    for (const entry of gone) this.#entries.delete(entry.name);
    if (gone.length > 0) this.#isChanged = true;
    return gone.length > 0;
  }

  /** Returns the descriptions for the model, in order of addition, without deferred tools: the same array until something changes. */
  specs(): readonly ToolSpec[] {
    if (!this.#isChanged) return this.#specs;
    this.#isChanged = false;
    const visible = [...this.#entries.values()].filter(
      ({ toolset }) => toolset === undefined || this.#ready.has(toolset),
    );
    const deferred = visible.filter(isDeferred);
    const first = deferred.length === 0 ? visible : visible.filter((entry) => !isDeferred(entry));
    const finds = deferred.length > 0 && !this.#entries.has(FIND_TOOLS);
    const shown = finds ? [...first, entryOf(findTool(deferred.map(({ spec }) => spec)))] : first;
    const hidden = new Map(deferred.map(({ name, spec }) => [name, spec]));
    const current = new Map([...shown, ...deferred].map((entry) => [entry.name, entry]));
    this.#visible = current;
    this.#specs = shown.map(({ spec }) => spec);
    this.#hasSecretFields = undefined;
    this.#offered = undefined;
    this.#announced = new AnnouncedTools(
      (name) => (name === READ_RESULT && !this.#entries.has(name) ? specOf(this.#reading) : hidden.get(name)),
      (name) => current.get(name)?.tool.announces === true,
    );
    return this.#specs;
  }

  /** Returns the descriptions for the model in a conversation: the first tools, then those that it announces. */
  specsIn(history: History<Turn>): readonly ToolSpec[] {
    const first = this.specs();
    const more = this.#announced?.in(history) ?? NO_TOOLS;
    if (more.length === 0) return first;
    if (this.#offered?.more !== more) this.#offered = { more, specs: [...first, ...more] };
    return this.#offered.specs;
  }

  /** True if the input or output of a tool marks fields as secret, as of the last {@link ToolRegistry.specs}. */
  get hasSecretFields(): boolean {
    return (this.#hasSecretFields ??= [...this.#current().values()].some(hasSecretFields));
  }

  /** The tool behind a full name, as of the last {@link ToolRegistry.specs}. */
  find(name: string): Tool | undefined {
    const found = this.#current().get(name)?.tool;
    if (found !== undefined) return found;
    if (name === READ_RESULT) return this.#reading;
    return name === APPROVE_PROVIDER_CALL ? approvingTool : undefined;
  }

  /** The tool of a full name, whether or not its toolset is set up. */
  held(name: string): Tool | undefined {
    return this.#entries.get(name)?.tool;
  }

  /** Returns the result of a call to an unknown tool: it lists the known ones, and the nearest name. */
  refuse(call: ToolCall, attempts = 0): ToolFailure {
    return failure(call, 'unknown', unknownTool(call.name, this.names), { durationMs: 0, attempts });
  }

  /**
   * Sets up toolsets added since the last time, one after the other; returns the problems.
   *
   * Each is set up once; the tools of a failed one stay hidden, the others continue.
   */
  setup(): Promise<readonly ErrorData[]> {
    this.#settingUp += 1;
    return (this.#work = this.#after(() => this.#setUpWaiting()));
  }

  /** Tears down, in reverse order, every started set-up, also a failed one; pending ones are skipped. Idempotent. */
  teardown(): Promise<readonly ErrorData[]> {
    this.#waiting.clear();
    this.#closing.abort(new Error('its toolsets are torn down'));
    return (this.#work = this.#after(() => this.#tearDownBegun()));
  }

  /** Reads cut texts: no part of {@link ToolRegistry.names}, as most conversations have none. */
  get #reading(): Tool {
    return readingTool(this.#agent.maxTextBytes);
  }

  /** Returns the current names; before the first step, those of the first. */
  #current(): ReadonlyMap<string, ToolEntry> {
    if (this.#visible === undefined || this.#visible.size === 0) this.specs();
    return this.#visible ?? NOTHING;
  }

  /** Set-ups and tear-downs take turns. */
  #after(work: () => Promise<readonly ErrorData[]>): Promise<readonly ErrorData[]> {
    return (this.#work ?? Promise.resolve(NO_PROBLEMS)).then(work);
  }

  #unshare(): void {
    if (!this.#isShared) return;
    this.#isShared = false;
    const entries = new SmallMap<string, ToolEntry>();
    for (const [name, entry] of this.#entries) entries.set(name, entry);
    this.#entries = entries;
    this.#problems = [...this.#problems];
  }

  #addSet(toolset: Toolset): void {
    if (!isToolsetName(toolset.name)) {
      this.#refuse(
        'tool.invalid',
        `toolset '${messageOf(toolset.name)}' as its name is invalid: letters, digits, _ and - only`,
      );
      return;
    }
    if (this.#isNameTaken(toolset)) {
      const { name, mergeHint = 'give one of them another name' } = toolset;
      this.#refuse('tool.duplicate', `toolset '${name}' as two of that name were given: ${mergeHint}`);
      return;
    }
    for (const tool of toolset.tools) this.#addTool(tool, toolset);
    if (this.#begun.some((begun) => begun.toolset === toolset)) return;
    const isPlain = toolset.setup === undefined && toolset.teardown === undefined;
    if (isPlain && toolset.open === undefined) this.#ready.add(toolset);
    else this.#waiting.add(toolset);
  }

  /** A run records what a set opened with by the name of the set. */
  #isNameTaken(toolset: Toolset): boolean {
    const known = [...this.#waiting, ...[...this.#entries.values()].map((entry) => entry.toolset)];
    return known.some(
      (other) =>
        other?.name === toolset.name &&
        other !== toolset &&
        (other.open !== undefined || toolset.open !== undefined),
    );
  }

  #addTool(tool: Tool, toolset: Toolset | undefined): void {
    const problem = toolProblem(tool);
    if (problem !== undefined) {
      this.#refuse(
        'tool.invalid',
        `a tool${toolset ? ` of '${toolset.name}'` : ''} as it is invalid: ${problem}`,
      );
      return;
    }
    const name = toolset === undefined ? tool.name : `${toolset.name}.${tool.name}`;
    const taken = nameProblem(name, tool);
    if (taken !== undefined) {
      this.#refuse('tool.duplicate', `tool '${name}' as ${taken}`, name);
      return;
    }
    const known = this.#entries.get(name);
    if (known !== undefined) {
      const found = known.given === tool ? 'it was added twice' : 'two different tools have that name';
      this.#refuse('tool.duplicate', `tool '${name}' as its name is taken: ${found}`, name);
      return;
    }
    if (name.length > MAX_FULL_NAME) {
      this.#refuse(
        'tool.invalid',
        `tool '${name}' as its name is longer than ${MAX_FULL_NAME} characters: ${name.length}`,
        name,
      );
      return;
    }
    try {
      const fitted = this.#fitted(tool);
      const spec = freezeJson({ name, description: tool.description, parameters: fitted.parameters });
      this.#entries.set(name, { name, tool: fitted, given: tool, spec, toolset });
      this.#isChanged = true;
    } catch (thrown) {
      this.#problems.push(
        errorData(thrown, 'tool.invalid', {
          tool: name,
          message: `Cannot add tool '${name}' as it cannot be described`,
        }),
      );
    }
  }

  /** Adapts a tool to the agent's answer schema: only its parameters differ. */
  #fitted(tool: Tool): Tool {
    const { answer } = this.#agent;
    if (answer === undefined || tool.forOutput === undefined) return tool;
    return {
      ...withExecute(tool, (input, context) => tool.execute(input, context)),
      ...tool.forOutput(answer),
    };
  }

  #refuse(code: 'tool.invalid' | 'tool.duplicate', what: string, tool?: string): void {
    const where = tool === undefined ? {} : { tool };
    this.#problems.push({ code, message: `Cannot add ${what}`, retryable: 'no', ...where });
  }

  async #setUpWaiting(): Promise<readonly ErrorData[]> {
    const problems: ErrorData[] = [];
    for (const toolset of this.#waiting) {
      this.#waiting.delete(toolset);
      const begun: Begun = { toolset };
      this.#begun.push(begun);
      try {
        await toolset.setup?.();
        problems.push(...(await this.#open(begun)));
        this.#ready.add(toolset);
        this.#isChanged = true;
      } catch (thrown) {
        problems.push(lifeCycleError(thrown, toolset, 'set up'));
      }
    }
    this.#settingUp -= 1;
    return problems;
  }

  /** Opens a set that has to be, and adds its tools. */
  async #open(begun: Begun): Promise<readonly ErrorData[]> {
    const { toolset } = begun;
    if (toolset.open === undefined || this.#host === undefined) return NO_PROBLEMS;
    const offered = () => [...this.#current().values()].map(offeredTool);
    const open = await toolset.open(this.#host.openingOf(toolset.name, this.#closing.signal, offered));
    begun.open = open;
    const before = this.#problems.length;
    this.#unshare();
    for (const tool of open.tools) this.#addTool(tool, toolset);
    this.#host.opened(toolset.name, open);
    return this.#problems.slice(before);
  }

  async #tearDownBegun(): Promise<readonly ErrorData[]> {
    const problems: ErrorData[] = [];
    for (const { toolset, open } of this.#begun.splice(0).toReversed())
      for (const end of [() => open?.close?.(), () => toolset.teardown?.()])
        try {
          await end();
        } catch (thrown) {
          problems.push(lifeCycleError(thrown, toolset, 'tear down'));
        }
    return problems;
  }
}

const NO_TOOLS: readonly never[] = [];
const NO_PROBLEMS: readonly ErrorData[] = [];
const NOTHING: ReadonlyMap<string, ToolEntry> = new Map();

/** Checks whether an entry in a list of tools is a toolset. */
export const isToolset = (item: Tool | Toolset): item is Toolset =>
  typeof item === 'object' && item !== null && 'tools' in item && Array.isArray(item.tools);

const lifeCycleError = (thrown: unknown, toolset: Toolset, what: string): ErrorData => ({
  ...errorData(thrown, 'tool.setup', { message: `Cannot ${what} toolset '${toolset.name}' as it failed` }),
  code: 'tool.setup',
  details: { toolset: toolset.name, ...(isTroupeError(thrown) ? { code: thrown.code } : {}) },
});
