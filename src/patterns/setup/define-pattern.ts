import { TroupeError } from '../../contracts/errors/error.ts';
import type { InputOf, OutputOf, Schema } from '../../base/schemas/schema.ts';
import { isThenable } from '../../base/promises/thenable.ts';
import { checkSchema } from '../../tools/schemas/schemas.ts';
import { checkName } from '../../runtime/define/define-agent.ts';

/** A pattern that a registry takes in: under its name, what makes a team of what it is given. */
export interface Pattern<Name extends string = string, Setup = never, Team = unknown> {
  readonly name: Name;
  readonly description: string;
  readonly make: (setup: Setup) => Team;
}

/** The parts of a named composition. */
export interface PatternOptions<Name extends string, Shape extends Schema, Team> {
  /** 1 to 64 letters, digits, `-` or `_`. */
  readonly name: Name;
  readonly description?: string | undefined;
  /** The schema of its setup, checked before `make` sees it. Agents are let through by `z.custom<Agent>()`. */
  readonly setup: Shape;
  /** Makes the team: of other patterns, or by `team()` and a chart of your own. */
  readonly make: (setup: OutputOf<Shape>) => Team;
}

/**
 * A pattern of your own, whose setup is checked: for a registry, or to be called by its `make`.
 *
 * @example
 * const relay = definePattern({
 *   name: 'relay',
 *   setup: z.object({ members: z.array(z.custom<Agent>()).min(2) }),
 *   make: ({ members: [first, second] }) => pipeline({ name: 'relay', stages: [first, second] }),
 * });
 * const team = relay.make({ members: [ann, bob] });
 *
 * @throws {TroupeError} `agent.invalid` for a bad name; `team.invalid`, by `make`, for a setup that does not fit, with all that is
 * wrong, or a schema that takes its time.
 */
export const definePattern = <const Name extends string, Shape extends Schema, Team>({
  name,
  description = '',
  setup: shape,
  make,
}: PatternOptions<Name, Shape, Team>): Pattern<Name, InputOf<Shape>, Team> => {
  checkName(name, 'a pattern');
  return Object.freeze({
    name,
    description,
    make: (given: InputOf<Shape>) => {
      const checked = checkSchema(shape, given);
      if (isThenable(checked))
        throw new TroupeError(
          'team.invalid',
          `Cannot make a team by the pattern '${name}' as its schema answers later: it has to answer at once`,
        );
      if (checked.ok) return make(checked.value as OutputOf<Shape>);
      const issues = checked.issues.map(({ path, message }) =>
        path === '' ? message : `${path}: ${message}`,
      );
      throw new TroupeError(
        'team.invalid',
        `Cannot make a team by the pattern '${name}' as what it was given does not fit: ${issues.join('; ')}`,
      );
    },
  });
};
