import type { Route } from './routes.ts';

/** A request that leads somewhere. */
export interface Matched<Name extends string> {
  readonly route: Route<Name>;
  /** The names in its address. */
  readonly names: Readonly<Record<string, string>>;
}

/** Finds the operation of a path: the methods that it takes if it takes another one; undefined if there is none. */
export const matchRoute = <Name extends string>(
  routes: readonly Route<Name>[],
  method: string,
  pathname: string,
): Matched<Name> | { readonly allowed: readonly string[] } | undefined => {
  const found = routes.flatMap((route) => {
    const names = namesIn(route.path, pathname);
    return names === undefined ? [] : [{ route, names }];
  });
  if (found.length === 0) return undefined;
  return (
    found.find(({ route }) => route.method === method) ?? { allowed: found.map(({ route }) => route.method) }
  );
};

const namesIn = (template: string, pathname: string): Readonly<Record<string, string>> | undefined => {
  const wanted = template.split('/');
  const given = pathname.split('/');
  if (wanted.length !== given.length) return undefined;
  const names: [string, string][] = [];
  for (const [index, segment] of wanted.entries()) {
    const said = given[index] ?? '';
    if (!segment.startsWith('{')) {
      if (segment !== said) return undefined;
      continue;
    }
    const name = nameOf(said);
    if (name === undefined) return undefined;
    names.push([segment.slice(1, -1), name]);
  }
  return Object.fromEntries(names);
};

/** A name in an address; undefined for what is none: empty, too long, a way to another folder, or with characters that end a line. */
const nameOf = (segment: string): string | undefined => {
  try {
    const name = decodeURIComponent(segment);
    return NAME.test(name) && !name.includes('..') ? name : undefined;
  } catch {
    return undefined;
  }
};

const NAME = /^[^\p{C}/\\]{1,300}$/u;
