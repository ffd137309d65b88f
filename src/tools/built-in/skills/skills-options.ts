import { onDemand } from '../../../base/on-demand.ts';
import {
  aText,
  formOr,
  fulfilling,
  isObject,
  listOf,
  oneOf,
  oneOrMore,
  optional,
  optionsSchema,
} from '../../../base/schemas/option-schemas.ts';
import { checkOptions } from '../../../contracts/errors/check-options.ts';
import { isToolsetName } from '../../define/tool-options.ts';

/**
 * A place of skills: a folder of theirs, the folder of one, or an installed package, with a folder `skills` or a SKILL.md in it.
 */
export type SkillSource = string | { readonly package: string };

/** Options of skills. */
export interface SkillsOptions {
  /** Name of the toolset. Default `skills`. */
  readonly name?: string | undefined;
  /** The skills that are offered, by name. Default: all. */
  readonly only?: readonly string[] | undefined;
  /**
   * Adds `run_skill_script`, which runs the scripts of skills by the commands of the run's environment: `ask` once a person has approved the call, `run` at once.
   * Default: scripts are not run.
   */
  readonly scripts?: 'ask' | 'run' | undefined;
}

const skillsSchema = onDemand(() =>
  optionsSchema<SkillsOptions & { from: SkillSource | readonly SkillSource[] }>({
    from: oneOrMore(
      formOr(isObject, optionsSchema<Exclude<SkillSource, string>>({ package: aText(1) }), aText(1)),
    ),
    name: optional(
      fulfilling(isToolsetName, 'not a name: write letters, digits, _ and -, the first a letter or _'),
    ),
    only: optional(listOf(aText(1))),
    scripts: optional(oneOf(['ask', 'run'])),
  }),
);

/**
 * Checks the places and the options of skills.
 *
 * @throws {TroupeError} `tool.invalid` with all that is wrong.
 */
export const checkSkills = (from: SkillSource | readonly SkillSource[], options: SkillsOptions): void => {
  checkOptions(skillsSchema(), { ...options, from }, { code: 'tool.invalid', owner: 'skills' });
};
