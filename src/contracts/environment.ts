import * as z from 'zod';
import type { Json } from './json.ts';
import { onDemand } from './on-demand.ts';
import type { Task } from './task.ts';
import type { ToolContext, ToolResult } from './tool.ts';

/**
 * The groups of operations that an environment may offer, and that tools require by name.
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
 * Files below one root. Paths are relative, with forward slashes; one that leads out of the root, through a link or to
 * something that is no regular file is refused with `tool.denied`.
 */
export interface FileOps {
  /** The start of a text file; rejects with `tool.failed` if there is none. */
  read(path: string, options?: ReadOptions): Promise<FileText>;
  /** Writes a whole file, and makes the folders above it. */
  write(path: string, text: string): Promise<FileWritten>;
  /** What a folder holds, by name; `.` is the root. Links are listed, never followed. */
  list(path: string): Promise<readonly FileEntry[]>;
  /** What is at the path; undefined for nothing. */
  stat(path: string): Promise<FileFacts | undefined>;
  /** Removes a file; false if there was none. */
  remove(path: string): Promise<boolean>;
}

/** The part of a file that is read. */
export interface ReadOptions {
  /** Default: the limit of the environment, which is also the most. */
  readonly maxBytes?: number | undefined;
}

/** What was read of a file. */
export interface FileText {
  readonly text: string;
  /** Of the whole file. */
  readonly bytes: number;
  /** The file is longer than `text`. */
  readonly isCut: boolean;
}

/** What writing a file came to. */
export interface FileWritten {
  readonly bytes: number;
  /** There was no such file before. */
  readonly isNew: boolean;
}

/** What something in a folder is. */
export type FileKind = 'file' | 'folder' | 'link' | 'other';

/** One line of a folder. */
export interface FileEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** What is at a path. */
export interface FileFacts {
  readonly kind: FileKind;
  readonly bytes: number;
  readonly isWritable: boolean;
}

/** Commands, run without a shell: arguments arrive as they are. */
export interface ProcessOps {
  /** Commands that may be run, by name; undefined where the environment does not say. */
  readonly commands: readonly string[] | undefined;
  /** An exit code other than 0 is a result; rejects with `tool.denied` for a command that may not be run. */
  run(command: string, args: readonly string[], options?: ProcessOptions): Promise<ProcessResult>;
}

/** What a command is run with. */
export interface ProcessOptions {
  /** Folder below the root. Default: the root. */
  readonly cwd?: string | undefined;
  /** Standard input. */
  readonly input?: string | undefined;
  /** In ms; the environment's own limit is the most. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a command ended. */
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

/** What is asked. */
export interface HttpRequest {
  readonly url: string;
  /** Default `GET`. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What is answered. */
export interface HttpResponse {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly isCut: boolean;
}

/** Whose run an environment is set up for. */
export interface EnvironmentScope {
  readonly runId: string;
  readonly path: string;
  readonly task?: Task | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What an agent did: one tool call and what came of it. */
export interface EnvironmentAction {
  readonly callId: string;
  readonly tool: string;
  readonly input: Json;
  readonly result: ToolResult;
}

/** What an action made of the environment. */
export interface EnvironmentStep {
  readonly observation?: Json | undefined;
  /** True if the environment has come to its end: the run ends with it. */
  readonly done?: boolean | undefined;
  readonly reward?: number | undefined;
  readonly info?: Json | undefined;
  /** What went wrong inside: told, not thrown. */
  readonly error?: string | undefined;
}

/** What a call made of the environment, and why that was its end, if it was. */
export interface EnvironmentOutcome extends EnvironmentStep {
  readonly end?: { readonly environment: string; readonly detail: string } | undefined;
}

/** How an environment is. */
export interface EnvironmentHealth {
  readonly ok: boolean;
  readonly reason?: string | undefined;
}

/**
 * The world that an agent acts in: it can be looked at, changes with what the agent does, and lends tools its hands.
 *
 * A run calls `setup`, `healthCheck`, `reset`, then `observe` and `step` in turn, and at the end, however it comes,
 * `close` and `teardown`. Everything but the name and the operations may be left out. What any of them throws becomes
 * data: a problem that ends the run before its first step, or a step with an `error`.
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
  /** What it offers; read after `setup`. */
  readonly ops: EnvironmentOps;
  /** What a task has to say to mean it, at most. Default: its name is the `type`, and there is nothing else to say. */
  readonly spec?: EnvironmentSpec | undefined;
  /** Before the first step of a run: takes hold of what it needs. */
  setup?(scope: EnvironmentScope): void | Promise<void>;
  healthCheck?(): EnvironmentHealth | Promise<EnvironmentHealth>;
  /** To its beginning; gives the first observation. */
  reset?(task: Task | undefined): Json | undefined | Promise<Json | undefined>;
  observe?(): Json | undefined | Promise<Json | undefined>;
  /** Told of each call of a tool, and what came of it. */
  step?(action: EnvironmentAction): EnvironmentStep | Promise<EnvironmentStep>;
  /** Why it is over, or that it is. */
  isTerminal?(): string | boolean | Promise<string | boolean>;
  /** After a run: lets go of what this run held. */
  close?(): void | Promise<void>;
  /** After `close`: undoes `setup`. */
  teardown?(): void | Promise<void>;
}

/** An environment as data, for a task that names one: `{ type: 'host', root: '/srv/work' }`. */
export const environmentSpecSchema = onDemand(() => z.looseObject({ type: z.string().trim().min(1) }));

/** See {@link environmentSpecSchema}. */
export type EnvironmentSpec = z.infer<ReturnType<typeof environmentSpecSchema>>;

/** What a tool gets of its environment: a part of the tool's context. */
export interface OpsHolder {
  readonly ops?: EnvironmentOps | undefined;
}

/** A tool's context, with the operations of the run's environment. */
export type OpsContext = ToolContext & OpsHolder;
