import * as z from 'zod';
import type { Json } from '../../base/json/json.ts';
import { onDemand } from '../../base/on-demand.ts';
import type { Task } from '../tasks/task.ts';
import type { ToolContext, ToolResult } from '../tools/tool.ts';

/**
 * Groups of operations that an environment may offer, and that tools require by name.
 *
 * An interface, so that a package can add a group of its own by declaration merging.
 */
export interface EnvironmentOps {
  readonly files?: FileOps | undefined;
  readonly processes?: ProcessOps | undefined;
  readonly http?: HttpOps | undefined;
}

/** The name of a group of operations. */
export type OpsGroup = keyof EnvironmentOps;

/**
 * Files below one root. Paths are relative, with forward slashes; one that leaves the root, through a link or directly,
 * or that is not a regular file, is refused with `tool.denied`.
 */
export interface FileOps {
  /** Reads the start of a text file; rejects with `tool.failed` if there is none. */
  read(path: string, options?: ReadOptions): Promise<FileText>;
  /** Writes a whole file, and makes the folders above it. */
  write(path: string, text: string): Promise<FileWritten>;
  /** Lists a folder, sorted by name; `.` is the root. Links are listed, never followed. */
  list(path: string): Promise<readonly FileEntry[]>;
  /** Describes what is at a path; undefined if nothing is. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Removes a file; false if there was none. */
  remove(path: string): Promise<boolean>;
}

/** The part of a file that is read. */
export interface ReadOptions {
  /** Default: the limit of the environment, which is also the most. */
  readonly maxBytes?: number | undefined;
}

/** The result of reading a file. */
export interface FileText {
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** The file is longer than `text`. */
  readonly isCut: boolean;
}

/** The result of writing a file. */
export interface FileWritten {
  readonly bytes: number;
  /** True if the file did not exist before. */
  readonly isNew: boolean;
}

/** The type of a folder entry. */
export type FileKind = 'file' | 'folder' | 'link' | 'other';

/** One line of a folder. */
export interface FileEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** Facts about a path. */
export interface FileFacts {
  readonly kind: FileKind;
  readonly bytes: number;
  readonly isWritable: boolean;
}

/** Commands, run without a shell: arguments are passed unchanged. */
export interface ProcessOps {
  /** Names of the allowed commands; undefined if the environment does not restrict them by name. */
  readonly commands: readonly string[] | undefined;
  /** An exit code other than 0 is a result; rejects with `tool.denied` for a command that may not be run. */
  run(command: string, args: readonly string[], options?: ProcessOptions): Promise<ProcessResult>;
}

/** Options of a command. */
export interface ProcessOptions {
  /** Folder below the root. Default: the root. */
  readonly cwd?: string | undefined;
  /** Standard input. */
  readonly input?: string | undefined;
  /** In ms; the environment's own limit is the most. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The result of a command. */
export interface ProcessResult {
  /** Null if it was killed. */
  readonly exitCode: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Some of the output was left out. */
  readonly isCut: boolean;
  readonly isTimedOut: boolean;
}

/** Requests over HTTP, to public addresses only unless the environment says otherwise. */
export interface HttpOps {
  /** Any status is a result; rejects with `tool.denied` for an address or a redirect that is refused. */
  request(request: HttpRequest): Promise<HttpResponse>;
}

/** An HTTP request. */
export interface HttpRequest {
  readonly url: string;
  /** Default `GET`. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An HTTP response. */
export interface HttpResponse {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly isCut: boolean;
}

/** The run that an environment is set up for. */
export interface EnvironmentScope {
  readonly runId: string;
  readonly path: string;
  readonly task?: Task | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An agent's action: one tool call and its result. */
export interface EnvironmentAction {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly result: ToolResult;
}

/** The environment's reaction to an action. */
export interface EnvironmentStep {
  readonly observation?: Json | undefined;
  /** True if the environment is finished: the run ends with it. */
  readonly done?: boolean | undefined;
  readonly reward?: number | undefined;
  readonly info?: Json | undefined;
  /** An internal error: reported, not thrown. */
  readonly error?: string | undefined;
}

/** The environment's reaction to a call, and the reason if that ended it. */
export interface EnvironmentOutcome extends EnvironmentStep {
  readonly end?: { readonly environment: string; readonly detail: string } | undefined;
}

/** The health of an environment. */
export interface EnvironmentHealth {
  readonly ok: boolean;
  readonly reason?: string | undefined;
}

/**
 * The world that an agent acts in: it can be observed, changes with the agent's actions, and provides operations to
 * tools.
 *
 * A run calls `setup`, `healthCheck`, `reset`, then `observe` and `step` in turn, and always `close` and `teardown` at
 * the end. Only the name and the operations are required. Anything thrown becomes data: a problem that ends the run
 * before its first step, or a step with an `error`.
 *
 * @example
 * const counter = (): Environment => {
 *   let clicks = 0;
 *   return {
 *     name: 'counter',
 *     ops: {},
 *     observe: () => ({ clicks }),
 *     step: () => ({ done: (clicks += 1) >= 3 }),
 *   };
 * };
 */
export interface Environment {
  readonly name: string;
  /** The operations it offers; read after `setup`. */
  readonly ops: EnvironmentOps;
  /**
   * Fields that a task may use to select this environment. Default: its name is the `type`, and nothing else is
   * accepted.
   */
  readonly spec?: EnvironmentSpec | undefined;
  /** Called before the first step of a run: acquires its resources. */
  setup?(scope: EnvironmentScope): void | Promise<void>;
  healthCheck?(): EnvironmentHealth | Promise<EnvironmentHealth>;
  /** Resets it to its initial state; returns the first observation. */
  reset?(task: Task | undefined): Json | undefined | Promise<Json | undefined>;
  observe?(): Json | undefined | Promise<Json | undefined>;
  /** Called after each tool call, with its result. */
  step?(action: EnvironmentAction): EnvironmentStep | Promise<EnvironmentStep>;
  /** Returns true, or a reason, once the environment is finished. */
  isTerminal?(): string | boolean | Promise<string | boolean>;
  /** Called after a run: releases what this run acquired. */
  close?(): void | Promise<void>;
  /** After `close`: undoes `setup`. */
  teardown?(): void | Promise<void>;
}

/** An environment as data, for a task that names one: `{ type: 'host', root: '/srv/work' }`. */
export const environmentSpecSchema = onDemand(() => z.looseObject({ type: z.string().trim().min(1) }));

/** See {@link environmentSpecSchema}. */
export type EnvironmentSpec = z.infer<ReturnType<typeof environmentSpecSchema>>;

/** The environment's operations, as part of a tool's context. */
export interface OpsHolder {
  readonly ops?: EnvironmentOps | undefined;
}

/** A tool's context, with the operations of the run's environment. */
export type OpsContext = ToolContext & OpsHolder;
