import type { Environment } from '../../../contracts/environments/environment.ts';
import type {
  EnvironmentOps,
  FileOps,
  HttpOps,
  ProcessOps,
} from '../../../contracts/environments/operations.ts';
import type { AllowedCommands } from './allowed-commands.ts';
import type { HttpRules } from '../http/http-rules.ts';

/** The parts of this machine that an agent may use. */
export interface HostEnvironmentOptions {
  /** The folder that files and commands are confined to. */
  readonly root: string;
  /** Default `host`. */
  readonly name?: string | undefined;
  /** By the name that a model uses, with the absolute path of the program. Default: none, and no processes at all. */
  readonly commands?: AllowedCommands | undefined;
  /** All the environment variables that commands see. Default `{ PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' }`. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Default and maximum time limit of a command, in ms. Default 60,000. */
  readonly timeoutMs?: number | undefined;
  /** Bytes kept of each output of a command. Default 64,000. */
  readonly maxOutputBytes?: number | undefined;
  /** Default 1,000,000. */
  readonly maxReadBytes?: number | undefined;
  /** Default 1,000,000. */
  readonly maxWriteBytes?: number | undefined;
  /** Offers HTTP: `true` for GET of public addresses, or the rules. Default: none. */
  readonly http?: boolean | HttpRules | undefined;
}

const VARIABLES: Readonly<Record<string, string>> = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };

/**
 * This machine, confined: files below one root, allowed commands, and HTTP to public addresses.
 *
 * Paths cannot leave the root, by `..`, links or hard links; devices and pipes are not opened. Commands run without a
 * shell, in the root, with cleared environment variables and configuration, with the allowed subcommands and options
 * only, with limits on time and output, and all processes that they started are killed at the end. That confines what a
 * model can say; it is not a sandbox: an allowed program can do whatever it can do. Use a container for untrusted
 * programs.
 *
 * @example
 * agent({
 *   name: 'coder',
 *   environment: hostEnvironment({ root: './work', commands: { git: '/usr/bin/git' } }),
 *   tools: [fileTools(), processTools()],
 * });
 *
 * A missing root and a command that cannot be allowed are problems found before the first step.
 */
export const hostEnvironment = (options: HostEnvironmentOptions): Environment => {
  const { timeoutMs = 60_000, maxOutputBytes = 64_000 } = options;
  const { maxReadBytes = 1_000_000, maxWriteBytes = 1_000_000 } = options;
  const offered: { files?: FileOps; processes?: ProcessOps; http?: HttpOps } = {};
  const ops: EnvironmentOps = offered;
  return {
    name: options.name ?? 'host',
    spec: { type: 'host', root: options.root },
    ops,
    setup: async () => {
      // Loaded on first use: everything else also runs where there is no file system.
      const { ConfinedRoot } = await import('./host-root.ts');
      const { hostFiles } = await import('./host-files.ts');
      const root = new ConfinedRoot(options.root);
      await root.find();
      offered.files = hostFiles(root, { maxReadBytes, maxWriteBytes });
      if (options.commands !== undefined) {
        const { hostProcesses } = await import('./host-processes.ts');
        const env = options.env ?? VARIABLES;
        offered.processes = hostProcesses(root, options.commands, { env, timeoutMs, maxOutputBytes });
      }
      if (options.http !== undefined && options.http !== false) {
        const { publicHttp } = await import('../http/http-environment.ts');
        offered.http = publicHttp(options.http === true ? {} : options.http);
      }
    },
    healthCheck: async () => {
      const found = await offered.files?.stat('.');
      return found?.kind === 'folder' ? { ok: true } : { ok: false, reason: 'its root is gone' };
    },
  };
};
