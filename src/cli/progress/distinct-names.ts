import { nameOf } from '../../events/progress/activity.ts';
import { oneLine } from '../../base/text/printable.ts';

/**
 * Assigns short names to agents, without ambiguity: the last part of the path, extended by as many parts as necessary.
 *
 * @example
 * const names = new DistinctNames();
 * names.add('desk/research-1/researcher-2/researcher-1');
 * names.of('desk/research-1/researcher-2/researcher-1'); // 'researcher-1'
 * names.add('desk/research-1/researcher-3/researcher-1');
 * names.of('desk/research-1/researcher-2/researcher-1'); // 'researcher-2/researcher-1'
 */
export class DistinctNames {
  readonly #paths = new Set<string>();
  /** The number of paths that end so. */
  readonly #endings = new Map<string, number>();

  add(path: string): void {
    if (this.#paths.has(path)) return;
    this.#paths.add(path);
    for (const ending of endingsOf(path)) this.#endings.set(ending, (this.#endings.get(ending) ?? 0) + 1);
  }

  of(path: string): string {
    if (!this.#paths.has(path)) return nameOf(path);
    const own = endingsOf(path).find((ending) => this.#endings.get(ending) === 1) ?? path;
    return oneLine(own, 120);
  }
}

/** `a/b/c`: `c`, `b/c`, `a/b/c`. */
const endingsOf = (path: string): readonly string[] => {
  const parts = path.split('/');
  return parts.map((_, index) => parts.slice(-1 - index).join('/'));
};
