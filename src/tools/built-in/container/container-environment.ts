import type { Environment } from '../../../contracts/environments/environment.ts';
import type { EnvironmentOps, FileOps, ProcessOps } from '../../../contracts/environments/operations.ts';
import { pathDenied, pathNames } from '../../environments/clean-path.ts';
import { SharedUse } from '../../environments/shared-use.ts';
import { commandFiles } from '../host/command-files.ts';
import { assertPlainCommand } from '../../environments/plain-command.ts';
import type { Container } from './container.ts';
import type { ContainerEnvironmentOptions, ContainerPlan } from './container-plan.ts';
import { parseContainerPlan } from './container-plan.ts';

/**
 * A container of Docker or Podman, started for a run and removed at its end.
 *
 * It has no network, a read-only file system but for its work folder, `/tmp` and the shared memory of its processes, no capabilities, a user
 * who is not root, and limits on memory, processors and processes; options change what they name. Files are read and written by common commands inside
 * (`realpath`, `stat`, `head` …), never by this process. A command that is out of time or cancelled ends inside, with all that
 * it started; what one leaves in the background lives until the container is removed. The container ends with this process,
 * however that ends.
 *
 * Agents that are given the same environment share one container while their runs overlap: give a function for one each.
 *
 * @example
 * agent({
 *   name: 'coder',
 *   environment: () => containerEnvironment({ image: 'node:24-slim', folder: './work' }),
 *   tools: [fileTools(), processTools()],
 * });
 *
 * @throws `agent.invalid` for options that cannot be used; a missing engine or image is a problem found before the first step.
 */
export const containerEnvironment = (options: ContainerEnvironmentOptions): Environment => {
  const plan = parseContainerPlan(options);
  const shared = new SharedUse<Container>('the container', (container) => container.stop());
  // Loaded on first use: everything else also runs where there is no file system.
  const start = async (signal: AbortSignal): Promise<Container> =>
    (await import('./container.ts')).Container.start(plan, signal);
  const ops: EnvironmentOps = containerOps(plan, shared);
  return {
    name: plan.name,
    spec: { type: 'container', image: plan.image },
    ops,
    setup: ({ signal }) => shared.enter(start, signal),
    healthCheck: async () => {
      const { exitCode, stderr } = await shared.current().run(['test', '-w', plan.root]);
      if (exitCode === 0) return { ok: true };
      return {
        ok: false,
        reason: stderr.trim().slice(0, 500) || `${plan.root} cannot be written by its user`,
      };
    },
    isTerminal: () => {
      const over = shared.current().over;
      return over === undefined ? false : `the container is over: ${over}`;
    },
    teardown: () => shared.leave(),
  };
};

const containerOps = (
  { root, commands, maxFileBytes }: ContainerPlan,
  shared: SharedUse<Container>,
): { readonly files: FileOps; readonly processes: ProcessOps } => {
  const files = commandFiles((words, options) => shared.current().run(words, options), root, maxFileBytes);
  return {
    files,
    processes: {
      commands,
      run: async (command, args, { cwd = '.', ...options } = {}) => {
        assertPlainCommand(command, args, commands);
        const names = pathNames(cwd);
        if (names.length > 0 && (await files.stat(cwd))?.kind !== 'folder')
          throw pathDenied(cwd, 'there is no such folder');
        return shared.current().run([command, ...args], { ...options, cwd: [root, ...names].join('/') });
      },
    },
  };
};
