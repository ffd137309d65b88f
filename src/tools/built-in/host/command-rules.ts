/**
 * Allow-list for the arguments of a command. Everything else is refused, including abbreviations of allowed options:
 * the program decides which option an abbreviation means, and that changes with its version.
 */
export interface CommandRules {
  /**
   * Options as the program spells them in full: `--stat`, `-n`. One that takes a value ends in `=`: `--format=`, `-n=`.
   * `-#` is a number (`-5`). Short ones may be combined (`-la`) if each is allowed. `any`: all. Default: none.
   */
  readonly options?: readonly string[] | 'any' | undefined;
  /** Subcommands, with rules for the arguments of each. If there are any, no other first word is allowed. */
  readonly subcommands?: Readonly<Record<string, CommandRules>> | undefined;
  /** Words after a single dash are one option (`-name`), as with `find`. Default: combined letters. */
  readonly singleDash?: boolean | undefined;
  /** Maximum number of operands. Default: unlimited. */
  readonly operands?: number | undefined;
  /** Pattern that each operand must match. */
  readonly operand?: RegExp | undefined;
}

/** Returns the reason why the rules refuse `args`; undefined if they are allowed. */
export const refusalOf = (rules: CommandRules, args: readonly string[]): string | undefined => {
  const { subcommands } = rules;
  if (subcommands === undefined) return refusedArguments(rules, args);
  const [first = '', ...rest] = args;
  const options = new Set(rules.options === 'any' ? [first] : rules.options);
  if (first.startsWith('-') && rest.length === 0 && options.has(first)) return undefined;
  const next = Object.hasOwn(subcommands, first) ? subcommands[first] : undefined;
  return next === undefined
    ? `it starts with none of ${Object.keys(subcommands).join(', ')}: ${showArgument(first)}`
    : refusalOf(next, rest);
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
      if (rules.operand?.test(arg) === false) return `this is not allowed: ${showArgument(arg)}`;
    } else if (!isAllowed(arg, options, rules.singleDash === true))
      return `this option is not allowed (options are written in full): ${showArgument(arg)}`;
  }
  return operands > (rules.operands ?? Infinity)
    ? `it takes at most ${rules.operands} operands: ${operands}`
    : undefined;
};

/**
 * Returns values attached to short options (`x` of `-fx`, and of `-vfx`), by the rules that allow them. If any option
 * is allowed, each letter may take the rest.
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

const showArgument = (arg: string): string => JSON.stringify(arg.slice(0, 100));
