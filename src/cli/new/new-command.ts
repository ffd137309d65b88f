import { wrong } from '../usage/wrong-usage.ts';
import type { ModelProvider, Template } from './project.ts';
import { modelProviders, templates } from './project.ts';

/** A project that is to be made; what is undefined is asked for, or has a default. */
export interface NewCommand {
  readonly name: 'new';
  /** The folder of the project, which is named after it. */
  readonly folder: string | undefined;
  readonly template: Template | undefined;
  readonly provider: ModelProvider | undefined;
  readonly isServed: boolean | undefined;
  /** Asks nothing. */
  readonly isUnasked: boolean;
}

/** Parsed values of the options of `new`. */
export interface NewValues {
  readonly template?: string | undefined;
  readonly provider?: string | undefined;
  readonly serve?: boolean | undefined;
  readonly yes?: boolean | undefined;
}

/**
 * Builds the command `new`.
 *
 * @throws {TroupeError} `command.usage`
 */
export const newCommandFrom = (
  folder: string | undefined,
  { template, provider, serve, yes = false }: NewValues,
): NewCommand => ({
  name: 'new',
  folder,
  template: oneOf(templates, template, '--template'),
  provider: oneOf(modelProviders, provider, '--provider'),
  isServed: serve,
  isUnasked: yes,
});

const oneOf = <Word extends string>(
  words: readonly Word[],
  given: string | undefined,
  option: string,
): Word | undefined => {
  if (given === undefined) return undefined;
  const found = words.find((word) => word === given);
  if (found === undefined) throw wrong(`${option} has no '${given}': give one of ${words.join(', ')}`, 'new');
  return found;
};
