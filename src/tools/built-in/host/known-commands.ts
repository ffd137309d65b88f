import type { CommandRules } from './command-rules.ts';

/** A program whose options are known: which of them neither start another program nor leave the root. */
export interface KnownCommand extends CommandRules {
  /** A text that no argument may contain. */
  readonly refused?: RegExp | undefined;
  /** Leading arguments that keep the program itself from starting others, and below the root. */
  readonly before?: readonly string[];
  /** Variables that take its configuration away. */
  readonly env?: Readonly<Record<string, string>>;
}

const words = (text: string): readonly string[] => text.split(' ');
const rules = (options = '', more: CommandRules = {}): CommandRules => ({
  options: options === '' ? [] : words(options),
  ...more,
});

/** Configuration that wins over a repository's own, by the name of a key. */
const GIT_SETTINGS: Readonly<Record<string, string>> = {
  'core.fsmonitor': 'false',
  'core.hooksPath': '/dev/null',
  'core.pager': 'cat',
  'core.editor': 'false',
  'core.sshCommand': 'false',
  'core.askPass': '',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'credential.helper': '',
  'gpg.program': 'false',
  'gpg.openpgp.program': 'false',
  'gpg.ssh.program': 'false',
  'gpg.x509.program': 'false',
  'commit.gpgSign': 'false',
  'tag.gpgSign': 'false',
  'log.showSignature': 'false',
  'gc.auto': '0',
  'maintenance.auto': 'false',
  'submodule.recurse': 'false',
  'protocol.allow': 'never',
  'safe.bareRepository': 'explicit',
};

/** Variables that keep git from reading any configuration but the repository's. */
export const GIT_READING: Readonly<Record<string, string>> = {
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
};

const GIT_NEUTRAL: Readonly<Record<string, string>> = {
  ...GIT_READING,
  GIT_PAGER: 'cat',
  PAGER: 'cat',
  GIT_EDITOR: 'false',
  GIT_SEQUENCE_EDITOR: 'false',
  GIT_SSH_COMMAND: 'false',
  GIT_ASKPASS: 'false',
  GIT_ALLOW_PROTOCOL: '',
  GIT_CONFIG_COUNT: String(Object.keys(GIT_SETTINGS).length),
  ...Object.fromEntries(
    Object.entries(GIT_SETTINGS).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
};

/**
 * Keys of a repository's configuration that start nothing: any other may name a program (`filter.x.clean`,
 * `diff.x.textconv`, `alias.x` …).
 */
export const HARMLESS_GIT_KEY =
  /^(?:core\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|quotepath|abbrev|compression|untrackedcache)|extensions\.(?:objectformat|refstorage)|user\.(?:name|email)|author\.(?:name|email)|committer\.(?:name|email)|init\.defaultbranch|color\.[^\0]*|column\.[^\0]*|advice\.[^\0]*|branch\.[^\0]*\.(?:remote|merge|rebase|description)|remote\.[^\0]*\.(?:url|fetch|pushurl)|pull\.(?:rebase|ff)|push\.default|fetch\.prune|gc\.auto|submodule\.[^\0]*\.(?:url|active))$/i;

const SHOWING =
  '--stat --shortstat --numstat --summary --name-only --name-status --oneline --format= --pretty= --no-patch -s -p -u --patch -U= --unified= --word-diff --no-color --color= --abbrev-commit -w -b -M -C -z --check --ignore-all-space --ignore-space-change --ignore-blank-lines --diff-filter= --find-renames --no-renames --relative';
const WALKING =
  '-n= -# --max-count= --skip= --since= --until= --after= --before= --author= --committer= --grep= -i -E -F --all --branches --tags --remotes --graph --decorate --no-decorate --reverse --first-parent --merges --no-merges --follow --date= --topo-order --date-order -S= -G= -L=';

const GIT: KnownCommand = {
  env: GIT_NEUTRAL,
  options: ['--version'],
  subcommands: {
    status: rules(
      '-s --short -b --branch --porcelain --porcelain= -u -u= --untracked-files= --ignored -z --long -v',
    ),
    log: rules(`${SHOWING} ${WALKING}`),
    show: rules(SHOWING),
    diff: rules(`${SHOWING} --cached --staged --merge-base`),
    shortlog: rules('-s -n -e --summary --numbered --email --since= --until= --all'),
    blame: rules('-L= -w -s -e -l -t -p --porcelain --date= -M -C'),
    grep: rules(
      '-n -i -l -L -c -w -v -h -H -E -F -G -e= -A= -B= -C= --line-number --ignore-case --count --files-with-matches --name-only --cached --untracked --and --or --not -q',
    ),
    'ls-files': rules('-c -d -m -o -s -z --cached --deleted --modified --others --stage --exclude-standard'),
    'ls-tree': rules('-r -d -t -l -z --name-only --full-tree --abbrev='),
    'cat-file': rules('-t -s -p -e'),
    'rev-parse': rules(
      '--abbrev-ref --short --short= --verify -q --quiet --show-toplevel --show-prefix --is-inside-work-tree --git-dir',
    ),
    'rev-list': rules(`${WALKING} --count --left-right`),
    'merge-base': rules('--is-ancestor -a --all'),
    describe: rules('--tags --all --long --always --abbrev= --dirty'),
    reflog: rules(`${SHOWING} -n= -#`),
    branch: rules(
      '-a -r -v --all --remotes --verbose --list --show-current --merged --no-merged --contains -d -D -m -M --delete --move --sort= --format=',
    ),
    tag: rules('-l --list -n -a -m= --message= -d --delete --sort= --contains --points-at'),
    add: rules('-A --all -u --update -n --dry-run -v --verbose -f -N'),
    rm: rules('-r -f -n --cached --dry-run -q'),
    mv: rules('-f -n -v -k'),
    commit: rules(
      '-m= --message= -a --all --allow-empty --allow-empty-message --no-verify -n -q --quiet --amend --no-edit --author= --date= -s --signoff --dry-run --short',
    ),
    restore: rules('-S -W --staged --worktree -s= --source= -q'),
    checkout: rules('-b= -B= -q --quiet --detach -f --force'),
    switch: rules('-c= -C= -q --quiet --detach'),
    reset: rules('--soft --mixed --hard -q --quiet'),
    stash: rules('-m= --message= -u --include-untracked -q -p --index --stat'),
    merge: rules('--no-ff --ff-only --ff --squash --abort --continue -m= --no-edit --no-commit'),
    init: rules('-q --quiet -b= --initial-branch= --bare'),
    remote: rules('-v --verbose', { operands: 0 }),
  },
};

/** Known programs, with the options that are allowed by default. */
export const KNOWN_COMMANDS: ReadonlyMap<string, KnownCommand> = new Map(
  Object.entries<KnownCommand>({
    git: GIT,
    cat: rules('-n -b -s -A -e -t -v -E -T --number --number-nonblank --squeeze-blank --show-all'),
    tac: rules(),
    head: rules('-n= -c= -q -v -# --lines= --bytes= --quiet --verbose'),
    // Without -f, which never ends.
    tail: rules('-n= -c= -q -v -# --lines= --bytes= --quiet --verbose'),
    wc: rules('-l -w -c -m -L --lines --words --bytes --chars --max-line-length'),
    ls: rules(
      '-1 -a -A -l -h -r -R -t -S -d -F -i -s -n -p -X -G -g -o -Q -U -v -x -C -m --all --almost-all --human-readable --recursive --reverse --directory --classify --inode --size --sort= --time= --color --color= --group-directories-first --full-time',
    ),
    tree: rules('-a -d -f -L= -I= -P= -h -s -D -C -n --noreport --dirsfirst -J'),
    pwd: rules('-L -P'),
    echo: { options: 'any' },
    printf: { options: 'any' },
    true: { options: 'any' },
    false: { options: 'any' },
    sleep: rules(),
    seq: rules('-s= -w -f='),
    basename: rules('-a -s= -z'),
    dirname: rules('-z'),
    realpath: rules('-e -m -s --relative-to='),
    stat: rules('-c= --format= -L -t -f= --printf='),
    file: rules('-b -i -L -h --brief --mime --mime-type'),
    du: rules('-h -s -a -c -k -m -b -d= --max-depth= --human-readable --summarize --total --apparent-size'),
    df: rules('-h -k -m -T -i --human-readable'),
    // Without a time to set.
    date: rules('-u -I -R --utc --iso-8601 --iso-8601=', { operand: /^\+/ }),
    uname: rules('-a -s -r -m -n -v -o'),
    id: rules('-u -g -n -G'),
    whoami: rules(),
    nl: rules('-b= -n= -w= -s= -v='),
    cut: rules('-d= -f= -c= -b= -s --delimiter= --fields= --characters= --complement --output-delimiter='),
    tr: rules('-d -s -c -C -t --delete --squeeze-repeats --complement'),
    uniq: rules('-c -d -u -i -D -f= -s= -w= --count --repeated --unique --ignore-case', { operands: 1 }),
    // Without -o, which writes, -T, and --compress-program, which starts a program.
    sort: rules(
      '-n -r -u -f -b -d -g -h -i -M -R -V -s -z -c -C -m -k= -t= --numeric-sort --reverse --unique --ignore-case --human-numeric-sort --version-sort --stable --check --key= --field-separator=',
    ),
    comm: rules('-1 -2 -3'),
    paste: rules('-d= -s --delimiters= --serial'),
    join: rules('-1= -2= -t= -a= -v= -o= -e= -i'),
    fold: rules('-w= -s -b'),
    column: rules('-t -s= -o= -c='),
    rev: rules(),
    // By itself it follows links that it meets; grep has no -R for that reason, and rg no -L.
    diff: {
      ...rules(
        '-u -U= -c -C= -r -q -N -w -b -B -i -y -s -a --unified --unified= --recursive --brief --new-file --ignore-all-space --ignore-case --side-by-side --color --color= --stat',
      ),
      before: ['--no-dereference'],
    },
    cmp: rules('-s -l -b -n= --silent'),
    md5sum: rules('-b -t'),
    sha1sum: rules('-b -t'),
    sha256sum: rules('-b -t'),
    cksum: rules(),
    base64: rules('-d -w= --decode --wrap='),
    xxd: rules('-l= -s= -c= -g= -p -u', { operands: 1 }),
    od: rules('-A= -t= -N= -j= -c -x -v'),
    // An operand `@file` would be replaced by what the file says.
    strings: rules('-n= -a -t=', { operand: /^[^@]/ }),
    grep: grep(),
    egrep: grep(),
    fgrep: grep(),
    rg: {
      ...rules(
        '-n -N -i -S -s -l -c -w -v -o -F -U -H -I -e= -g= -t= -T= -A= -B= -C= -m= -j= -d= -u --line-number --no-line-number --ignore-case --smart-case --files --files-with-matches --files-without-match --count --count-matches --word-regexp --invert-match --only-matching --fixed-strings --multiline --glob= --iglob= --type= --type-not= --after-context= --before-context= --context= --max-count= --max-depth= --hidden --no-ignore --no-heading --heading --column --json --sort= --stats --color= --no-messages --vimgrep --trim --passthru',
      ),
      before: ['--no-config'],
    },
    // Without -exec, -ok, -delete, -fprint, -fls and -files0-from.
    find: rules(
      '-H -P -name= -iname= -path= -ipath= -wholename= -regex= -iregex= -regextype= -type= -size= -mtime= -mmin= -atime= -ctime= -newer= -maxdepth= -mindepth= -empty -perm= -user= -group= -not -a -o -and -or -print -print0 -printf= -prune -depth -xdev -mount -readable -writable -executable -links= -inum= -ls -quit -true -false -daystart',
      { singleDash: true },
    ),
    // Its sandbox disables e, r and w.
    sed: {
      ...rules(
        '-n -E -r -s -z -u -e= --quiet --silent --regexp-extended --expression= --separate --null-data --unbuffered',
      ),
      before: ['--sandbox'],
    },
    jq: {
      ...rules(
        '-r -c -s -n -e -S -M -a -j --raw-output --compact-output --slurp --null-input --sort-keys --tab --indent= --arg --argjson --exit-status',
      ),
      // Its modules are files, whose names may be written with escapes.
      refused: /(?<![.$@:\w])(?:import|include|modulemeta)(?!\w)/,
    },
    // An archive is a local file, not `host:file`; the first word is an option, not an old-style bundle; and a name is
    // what it says, without escapes. Without -x: it writes, and makes hard links, through links that are there already;
    // and without -C, by which names are no longer those that are looked at.
    tar: {
      ...rules(
        '-t -c -r -u -v -z -j -J -p -f= --list --create --append --verbose --gzip --bzip2 --xz --file= --exclude=',
      ),
      before: ['--force-local', '--no-unquote'],
    },
    gzip: rules('-d -k -c -l -t -v -# --decompress --keep --stdout --list --test'),
    gunzip: rules('-k -c -l -t'),
    mkdir: rules('-p -v --parents'),
    rmdir: rules('-p -v'),
    touch: rules('-c -d= -t= -r='),
    // It would write through a link that is there already.
    cp: {
      ...rules('-r -R -a -p -n -f -v -u --recursive --no-clobber --archive --preserve'),
      before: ['--remove-destination'],
    },
    mv: rules('-n -f -v -u --no-clobber'),
    rm: rules('-r -R -f -v -d --recursive --force'),
  }),
);

function grep(): CommandRules {
  return rules(
    '-n -i -r -l -L -c -w -x -v -o -q -s -h -H -a -b -I -E -F -G -P -Z -z -e= -A= -B= -C= -m= -# --line-number --ignore-case --recursive --files-with-matches --files-without-match --count --word-regexp --line-regexp --invert-match --only-matching --quiet --no-messages --with-filename --no-filename --extended-regexp --fixed-strings --basic-regexp --perl-regexp --regexp= --after-context= --before-context= --context= --max-count= --include= --exclude= --exclude-dir= --color --color= --text --null',
  );
}
