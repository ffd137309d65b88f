/**
 * Rules of what a command may be given: a list of what is allowed. Whatever is not in it is refused, abbreviations of what is in it, too: which
 * option a program takes them for is the program's to say, and changes with its version.
 */
export interface CommandRules {
  /**
   * Options as the program writes them in full: `--stat`, `-n`. One that takes a value ends in `=`: `--format=`, `-n=`. `-#` is a number
   * (`-5`). Short ones may be given together (`-la`) if each is allowed. `any`: whatever the program knows. Default: none.
   */
  readonly options?: readonly string[] | 'any' | undefined;
  /** First words, with what may follow each. Where there are any, no other first word is allowed. */
  readonly subcommands?: Readonly<Record<string, CommandRules>> | undefined;
  /** Words of a single dash are one option (`-name`), as of `find`. Default: letters given together. */
  readonly singleDash?: boolean | undefined;
  /** Most words that are no options. Default: as many as there are. */
  readonly operands?: number | undefined;
  /** What each of them has to match. */
  readonly operand?: RegExp | undefined;
}

/** The reason for which the rules do not allow `args`; undefined for those that are. */
export const refusedBy = (rules: CommandRules, args: readonly string[]): string | undefined => {
  const { subcommands } = rules;
  if (subcommands === undefined) return refusedArguments(rules, args);
  const [first = '', ...rest] = args;
  const options = new Set(rules.options === 'any' ? [first] : rules.options);
  if (first.startsWith('-') && rest.length === 0 && options.has(first)) return undefined;
  const next = Object.hasOwn(subcommands, first) ? subcommands[first] : undefined;
  return next === undefined
    ? `it begins with none of ${Object.keys(subcommands).join(', ')}: ${shown(first)}`
    : refusedBy(next, rest);
};

const refusedArguments = (rules: CommandRules, args: readonly string[]): string | undefined => {
  if (rules.options === 'any') return undefined;
  const options = new Set(rules.options);
  let operands = 0;
  let isOver = false;
  for (const arg of args) {
    if (!isOver && arg === '--') isOver = true;
    else if (isOver || !arg.startsWith('-') || arg === '-') {
      operands += 1;
      if (rules.operand?.test(arg) === false) return `this is not allowed: ${shown(arg)}`;
    } else if (!isAllowed(arg, options, rules.singleDash === true))
      return `this option is not allowed (options are written in full): ${shown(arg)}`;
  }
  return operands > (rules.operands ?? Infinity)
    ? `it takes at most ${rules.operands} words that are no options: ${operands}`
    : undefined;
};

/**
 * The values that are glued to the letters of short options (`x` of `-fx`, and of `-vfx`), by the rules that allow them. Where any option
 * is allowed, each letter may be the one that takes the rest.
 */
export const gluedValues = (rules: CommandRules, args: readonly string[]): readonly string[] => {
  const [first = '', ...rest] = args;
  const { subcommands, options = [], singleDash = false } = rules;
  if (subcommands !== undefined)
    return gluedValues(Object.hasOwn(subcommands, first) ? (subcommands[first] ?? {}) : {}, rest);
  if (singleDash) return [];
  return args.flatMap((arg) => {
    if (!/^-[^-]/.test(arg)) return [];
    const [, letters = ''] = /^-(\w*)/.exec(arg) ?? [];
    const values = Array.from(letters, (letter, index) => ({ letter, value: arg.slice(index + 2) }));
    if (options === 'any') return values.map(({ value }) => value);
    return values.find(({ letter }) => options.includes(`-${letter}=`))?.value ?? [];
  });
};

const isAllowed = (arg: string, options: ReadonlySet<string>, isSingleDash: boolean): boolean => {
  if (options.has(arg) && !arg.endsWith('=')) return true;
  if (arg.startsWith('--')) {
    const at = arg.indexOf('=');
    // A value may also be the next argument.
    return options.has(at < 0 ? `${arg}=` : arg.slice(0, at + 1));
  }
  if (options.has('-#') && /^-\d+$/.test(arg)) return true;
  if (isSingleDash) return options.has(`${arg}=`);
  for (const letter of arg.slice(1)) {
    if (options.has(`-${letter}=`)) return true;
    if (!options.has(`-${letter}`)) return false;
  }
  return true;
};

const shown = (arg: string): string => JSON.stringify(arg.slice(0, 100));
