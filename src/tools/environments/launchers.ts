/** Programs that start any other on request, or run programs that are written for them. */
const LAUNCHERS: ReadonlySet<string> = new Set(
  (
    'sh bash dash zsh ksh mksh ash csh tcsh fish pwsh powershell cmd busybox ' +
    'toybox env xargs parallel awk gawk mawk nawk sudo su doas pkexec runuser setpriv ' +
    'chroot unshare nsenter nohup nice ionice chrt taskset timeout setsid stdbuf script expect watch ' +
    'entr time strace ltrace gdb lldb perf flock at batch crontab systemd-run start-stop-daemon ssh ' +
    'scp sftp rsync socat nc ncat telnet ftp screen tmux perl raku python pypy ' +
    'ipython ruby irb php node nodejs deno bun tsx npx npm pnpm yarn corepack ' +
    'pip pipx uv uvx poetry lua luajit tclsh wish guile racket scheme sbcl clisp ' +
    'ghc runghc ocaml elixir erl iex R Rscript julia octave java javac jshell kotlin ' +
    'scala groovy gradle mvn ant sbt dotnet mono go cargo rustc rustup gcc g++ ' +
    'cc c++ clang clang++ ld as make gmake cmake ninja meson bazel buck just ' +
    'task rake bundle gem composer docker podman kubectl helm terraform ansible vagrant vi vim ' +
    'nvim emacs nano ed ex less more man info git-shell hg svn bzr cvs ' +
    'curl wget aria2c dd m4 bc dc sqlite3 psql mysql mongosh redis-cli zip unzip ' +
    '7z ar cpio pax install apt apt-get dpkg yum dnf rpm apk brew snap ' +
    'flatpak mount umount systemctl service kill pkill killall'
  ).split(' '),
);

/**
 * Checks whether a program, by its name or path, starts others: shells, interpreters, build tools, package managers, editors … Versions in
 * the name (`python3.12`, `gcc-14`) do not hide it.
 */
export const startsOthers = (program: string): boolean => {
  const name = programName(program);
  return LAUNCHERS.has(name) || LAUNCHERS.has(name.replace(/(?<![\d.-])[\d.-]+$/, ''));
};

/** The name of a program without its folder. */
export const programName = (program: string): string =>
  program.slice(Math.max(program.lastIndexOf('/'), program.lastIndexOf('\\')) + 1).replace(/\.exe$/i, '');
