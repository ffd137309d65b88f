import MiniSearch from 'minisearch';
import { TroupeError } from '../../../contracts/errors/error.ts';
import { linesOf, proseShare, splitPassages, type Span } from './passages.ts';
import { rememberingToTerm, tokenize, toTerm } from './words.ts';

/** A section of a document, with its position. */
export interface Passage {
  /** `path:first-last`, lines from 1. */
  readonly citation: string;
  readonly path: string;
  readonly from: number;
  readonly to: number;
  /** The headings above it, or the name it declares; may be empty. */
  readonly heading: string;
  readonly text: string;
}

/** A search result; a higher score is a better match, comparable within one search only. */
export interface FoundPassage extends Passage {
  readonly score: number;
}

/** Maximum lines and characters of one reading. */
const MOST_LINES = 200;
const MOST_CHARACTERS = 16_000;

/** Penalty on the score of a passage that consists of table rows or code: they name much and explain little. */
const LESS_FOR_TABLES = 0.4;

/** Full-text search over documents held in memory, whatever their source. */
export class DocumentIndex {
  readonly #texts = new Map<string, string>();
  readonly #places: { path: string; span: Span; weight: number }[] = [];
  readonly #search = new MiniSearch<{ id: number; text: string; heading: string; path: string }>({
    fields: ['text', 'heading', 'path'],
    tokenize,
    processTerm: rememberingToTerm(),
    searchOptions: {
      boost: { heading: 1.5, path: 1.2 },
      boostDocument: (id: number) => this.#places[id]?.weight ?? 1,
    },
  });

  get files(): number {
    return this.#texts.size;
  }

  get passages(): number {
    return this.#places.length;
  }

  /** Adds a document passage by passage, so that the caller can rest in between. */
  *add(path: string, text: string): Generator<void> {
    this.#texts.set(path, text);
    for (const span of splitPassages(path, text)) {
      const passage = text.slice(span.start, span.end);
      const weight = 1 - LESS_FOR_TABLES * (1 - proseShare(path, passage));
      const id = this.#places.push({ path, span, weight }) - 1;
      this.#search.add({ id, text: passage, heading: span.heading, path });
      yield;
    }
  }

  /** Searches passages, best match first; equal texts are returned once. */
  search(query: string, limit: number): FoundPassage[] {
    const seen = new Set<string>();
    const found: FoundPassage[] = [];
    for (const { id, score } of this.#ranked(query)) {
      const place = this.#places[Number(id)];
      if (place === undefined) continue;
      const passage = this.#passage(place.path, place.span);
      if (seen.has(passage.text)) continue;
      seen.add(passage.text);
      found.push({ ...passage, score: Math.round(score * 100) / 100 });
      if (found.length >= limit) break;
    }
    return found;
  }

  /** The lines `from` to `to` of a document (from 1, both included); without them, its start. */
  read(path: string, from = 1, to = from + MOST_LINES - 1): Passage {
    const known = this.#resolve(path);
    const text = this.#texts.get(known) ?? '';
    const lines = linesOf(text);
    if (from > lines.length || to < from) {
      const found = `it has ${lines.length} line${lines.length === 1 ? '' : 's'}`;
      throw new TroupeError(
        'documents.unreadable',
        `Cannot read ${known}:${from}-${to} as no such lines exist: ${found}`,
      );
    }
    const last = Math.min(to, lines.length, from + MOST_LINES - 1);
    const start = lines[from - 1]?.start ?? 0;
    const end = Math.min(lines[last - 1]?.end ?? text.length, start + MOST_CHARACTERS);
    const heading = this.#places.find(
      (place) => place.path === known && place.span.from <= from && from <= place.span.to,
    )?.span.heading;
    return this.#passage(known, { from, to: last, start, end, heading: heading ?? '' });
  }

  /** Exact matches first; only words that occur nowhere are also tried as prefixes and with a letter or two wrong. */
  #ranked(query: string) {
    const exact = this.#search.search(query);
    const met = new Set(exact.flatMap((result) => result.queryTerms));
    const unmet = new Set(
      tokenize(query)
        .map(toTerm)
        .filter((term) => term !== null && term.length > 3 && !met.has(term)),
    );
    if (unmet.size === 0) return exact;
    return this.#search.search(query, {
      prefix: (term) => unmet.has(term),
      fuzzy: (term) => (unmet.has(term) ? 0.2 : false),
    });
  }

  #passage(path: string, { from, to, start, end, heading }: Span): Passage {
    const text = (this.#texts.get(path) ?? '').slice(start, end);
    return { citation: `${path}:${from}-${to}`, path, from, to, heading, text };
  }

  /**
   * Resolves `path` to a document, by its whole path or an unambiguous end of it. Nothing else can be read: no path
   * leaves the set.
   */
  #resolve(path: string): string {
    const plain = path.replaceAll('\\', '/').replace(/^\.\//, '');
    if (this.#texts.has(plain)) return plain;
    const ends = [...this.#texts.keys()].filter((known) => known.endsWith(`/${plain}`));
    if (ends.length === 1 && ends[0] !== undefined) return ends[0];
    const found = ends.length > 1 ? `${ends.length} documents end so` : 'no document has that path';
    throw new TroupeError(
      'documents.unreadable',
      `Cannot read ${path} as it is not one of the documents: ${found}`,
    );
  }
}
