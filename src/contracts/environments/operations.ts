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
  readonly body?: string | Uint8Array | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** An HTTP response. */
export interface HttpResponse {
  /** After all redirects. */
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The bytes that `text` was decoded from. */
  readonly bytes?: Uint8Array | undefined;
  readonly isCut: boolean;
}

/** The environment's operations, as part of a tool's context. */
export interface OpsHolder {
  readonly ops?: EnvironmentOps | undefined;
}
