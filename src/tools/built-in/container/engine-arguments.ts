import type { ContainerPlan } from './container-plan.ts';

/** Label that all our containers have, with the host of the process that started them. */
const LABEL = 'troupe.host';

/** The first line that a container writes: it is up. */
export const READY = 'ready';

/** Waits for the end of its input, so that a container ends with the process that holds it, however that ends. */
const WAIT = `echo ${READY}; exec cat >/dev/null`;

/** Finds the processes with a mark among their variables, and kills them until none is left. */
const KILL = `n=0
while [ "$n" -lt 20 ]; do
  found=$(grep -lF -- "$1" /proc/[0-9]*/environ 2>/dev/null)
  [ -n "$found" ] || exit 0
  for place in $found; do place=\${place%/environ}; kill -9 "\${place#/proc/}" 2>/dev/null; done
  n=$((n + 1))
done`;

/** The parts of a container that are known only on this machine. */
export interface ContainerPlace {
  readonly name: string;
  readonly host: string;
  /** The real path of the mounted folder. */
  readonly folder: string | undefined;
  readonly user: string;
  /** True where the user's numbers have to be the same inside: Podman of a user who is not root. */
  readonly keepsIds: boolean;
  /** True for Podman, whose read-only containers have folders in memory that can be written, unless an option says otherwise. */
  readonly isPodman: boolean;
}

/** Arguments that start a container, which lives as long as its input is open. */
export const runArguments = (plan: ContainerPlan, place: ContainerPlace): readonly string[] =>
  [
    ['run', '--rm', '-i', '--init', '--name', place.name, '--label', `${LABEL}=${place.host}`],
    ['--network', plan.network, '--read-only', ...(place.isPodman ? ['--read-only-tmpfs=false'] : [])],
    ['--cap-drop', 'ALL', '--security-opt', 'no-new-privileges'],
    ['--pids-limit', String(plan.pids), '--cpus', String(plan.cpus)],
    // The same for both: no swap.
    ['--memory', `${plan.memoryMb}m`, '--memory-swap', `${plan.memoryMb}m`],
    ['--user', place.user, ...(place.keepsIds ? ['--userns', 'keep-id'] : []), '--workdir', plan.root],
    ['--tmpfs', '/tmp:rw,noexec,nosuid,nodev,size=64m,mode=1777'],
    place.folder === undefined
      ? ['--tmpfs', `${plan.root}:rw,exec,nosuid,nodev,size=${plan.workMb}m,mode=1777${ownerOf(place)}`]
      : ['--mount', `type=bind,source=${place.folder},target=${plan.root}`],
    ...Object.entries(plan.env).map(([name, value]) => ['--env', `${name}=${value}`]),
    ['--entrypoint', 'sh', '--', plan.image, '-c', WAIT],
  ].flat();

/**
 * The user as the owner of a folder in memory: runc before 1.1.6 gives such a folder the mode of the one that is there in the image, or that
 * Docker makes for it, which only root may write. Podman takes no owner.
 */
const ownerOf = ({ isPodman, user }: ContainerPlace): string => {
  const [uid, gid] = user.split(':');
  return isPodman ? '' : `,uid=${uid}${gid === undefined ? '' : `,gid=${gid}`}`;
};

/** Arguments that run a command in a container: everything after its name is the command's. */
export const execArguments = (
  name: string,
  mark: string | undefined,
  cwd: string,
  words: readonly string[],
): readonly string[] => [
  'exec',
  '-i',
  '--workdir',
  cwd,
  ...(mark === undefined ? [] : ['--env', mark]),
  '--',
  name,
  ...words,
];

/** The command that kills all processes with a mark. */
export const killWords = (mark: string): readonly string[] => ['sh', '-c', KILL, 'sh', mark];

/** Arguments that remove containers, running or not, with what they stored. */
export const removeArguments = (names: readonly string[]): readonly string[] => [
  'rm',
  '-f',
  '-v',
  '--',
  ...names,
];

/** Arguments by which an engine's program says what it is, without asking a daemon. */
export const VERSION_ARGUMENTS: readonly string[] = ['--version'];

/** Arguments that list the containers of a host, each name on a line. */
export const listArguments = (host: string): readonly string[] => [
  'ps',
  '--all',
  '--no-trunc',
  '--filter',
  `label=${LABEL}=${host}`,
  '--format',
  '{{.Names}}',
];
