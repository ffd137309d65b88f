import { htmlTokens, type HtmlToken } from './html-tokens.ts';
import { MarkdownWriter } from './markdown-writer.ts';

/** A page as Markdown. */
export interface MarkdownPage {
  /** Of its `title`; empty without one. */
  readonly title: string;
  readonly markdown: string;
  /** The blocks within its first `main`; empty without one. */
  readonly main: string;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(' '));

/** Elements without content. */
const VOID = words('area base br col embed hr img input link meta param source track wbr');
/** Elements that say nothing to who reads. */
const DROPPED = words(
  'script style template noscript iframe noembed noframes object embed applet audio video canvas svg math map select datalist textarea button dialog head',
);
/** Elements that may stand in a head; any other ends it. */
const OF_HEAD = words('title meta link script style base noscript template');
const LISTS = words('ol ul menu dir');
const BLOCKS = words(
  'address article aside blockquote body center dd details dialog dir div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 ' +
    'header hgroup hr html legend li main menu nav ol option p pre search section summary table tbody td tfoot th thead tr ul',
);

/** Elements that end one that is open as they begin, up to the element that bounds it. */
const ENDS: ReadonlyMap<string, readonly [ends: ReadonlySet<string>, within: ReadonlySet<string>]> = new Map([
  ['li', [words('li'), words('ul ol menu dir')]],
  ['dt', [words('dt dd'), words('dl')]],
  ['dd', [words('dt dd'), words('dl')]],
  ['tr', [words('tr'), words('table')]],
  ['td', [words('td th'), words('tr table')]],
  ['th', [words('td th'), words('tr table')]],
  ['tbody', [words('tbody thead tfoot'), words('table')]],
]);

/** Deeper elements are not told from those around them, as in browsers. */
const MOST_DEPTH = 512;

interface OpenElement {
  readonly name: string;
  /** Its text is not shown. */
  isHidden: boolean;
  readonly href: string | undefined;
  /** The number of the last item of a list; undefined where items have none. */
  item?: number | undefined;
}

/**
 * Converts HTML to Markdown, in time that grows with its length, however it is nested: headings, paragraphs, lists, tables, code, links.
 *
 * Scripts, styles, comments, forms and what is hidden are dropped. Links are absolute, by `base`; those that are not of the web are their text.
 *
 * @example
 * htmlToMarkdown('<h1>Tea</h1><p>See <a href="/all">all</a>', 'https://shop.example').markdown
 * // => '# Tea\n\nSee [all](https://shop.example/all)'
 */
export const htmlToMarkdown = (html: string, base: string): MarkdownPage => {
  const converter = new Converter(base);
  for (const token of htmlTokens(html)) converter.take(token);
  return converter.page();
};

class Converter {
  readonly #writer = new MarkdownWriter();
  readonly #open: OpenElement[] = [];
  /** The number of open elements of a name. */
  readonly #counts = new Map<string, number>();
  #base: string;
  #title: string | undefined;
  #main: { readonly from: number; to?: number } | undefined;
  #preformatted: string[] | undefined;
  #language = '';

  constructor(base: string) {
    this.#base = base;
  }

  take(token: HtmlToken): void {
    if (token.kind === 'text') this.#addText(token.text);
    else if (token.kind === 'open') this.#begin(token.name, token.attributes);
    else this.#end(token.name);
  }

  page(): MarkdownPage {
    while (this.#open.length > 0) this.#pop();
    const { markdown } = this.#writer;
    const main = this.#main === undefined ? '' : this.#writer.between(this.#main.from, this.#main.to ?? 0);
    return { title: this.#title?.replaceAll(/\s+/g, ' ').trim() ?? '', markdown, main };
  }

  #addText(text: string): void {
    if (this.#open.at(-1)?.name === 'head' && /\S/.test(text)) this.#end('head');
    const top = this.#open.at(-1);
    // That of a drawing is not the page's.
    if (top?.name === 'title' && this.#title === undefined && !this.#isWithin('svg')) this.#title = text;
    if (top?.isHidden === true || top?.name === 'title') return;
    if (this.#preformatted !== undefined) {
      this.#preformatted.push(text);
      return;
    }
    this.#writer.add({
      // A line feed is a space where it is not asked for.
      text: text.replaceAll(/\s+/g, ' '),
      href: top?.href,
      isStrong: this.#isWithin('strong') || this.#isWithin('b'),
      isEmphasis: this.#isWithin('em') || this.#isWithin('i'),
      isCode: this.#isWithin('code') || this.#isWithin('kbd') || this.#isWithin('samp'),
    });
  }

  #begin(name: string, attributes: ReadonlyMap<string, string>): void {
    if (name === 'base') this.#base = this.#address(attributes.get('href')) ?? this.#base;
    this.#endImplied(name);
    const top = this.#open.at(-1);
    const isHidden = top?.isHidden === true || DROPPED.has(name) || isConcealed(attributes);
    if (VOID.has(name)) {
      if (!isHidden) this.#beginVoid(name, attributes);
      return;
    }
    if (this.#open.length >= MOST_DEPTH) {
      // Rather too much is hidden than what is meant to be.
      if (top !== undefined) top.isHidden ||= isHidden;
      return;
    }
    const href = name === 'a' ? this.#address(attributes.get('href')) : top?.href;
    const element: OpenElement = { name, isHidden, href };
    this.#open.push(element);
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    if (isHidden) return;
    if (this.#preformatted === undefined) this.#beginElement(element, attributes);
    else if (name === 'code') this.#language ||= languageIn(attributes.get('class'));
  }

  #beginVoid(name: string, attributes: ReadonlyMap<string, string>): void {
    if (this.#preformatted !== undefined) {
      if (name === 'br') this.#preformatted.push('\n');
    } else if (name === 'br') this.#writer.breakLine();
    else if (name === 'hr') this.#writer.rule();
    else if (name === 'img') this.#addText(attributes.get('alt') ?? '');
  }

  #beginElement(element: OpenElement, attributes: ReadonlyMap<string, string>): void {
    const { name } = element;
    if (name === 'table') this.#writer.beginTable();
    else if (name === 'tr') this.#writer.beginRow();
    else if (name === 'td' || name === 'th') this.#writer.beginCell();
    else if (name === 'ol') element.item = numberIn(attributes.get('start')) - 1;
    else if (name === 'li') this.#beginItem();
    else if (name === 'blockquote') this.#writer.beginQuotation();
    else if (name === 'pre') this.#beginPreformatted(attributes);
    else if (name === 'main') this.#main ??= { from: this.#writer.place };
    else if (BLOCKS.has(name)) this.#writer.beginBlock(Number(/^h([1-6])$/.exec(name)?.[1] ?? 0));
  }

  #beginPreformatted(attributes: ReadonlyMap<string, string>): void {
    this.#preformatted = [];
    this.#language = languageIn(attributes.get('class'));
  }

  #beginItem(): void {
    const list = this.#open.findLast(({ name }) => LISTS.has(name));
    if (list?.item === undefined) this.#writer.beginItem('- ');
    else {
      list.item += 1;
      this.#writer.beginItem(`${list.item}. `);
    }
  }

  /** A paragraph ends where a block begins, an item where the next one does. */
  #endImplied(name: string): void {
    if (this.#isWithin('head') && !OF_HEAD.has(name)) this.#end('head');
    if (BLOCKS.has(name) && this.#open.at(-1)?.name === 'p') this.#pop();
    const [ends, within] = ENDS.get(name) ?? [];
    if (ends === undefined || within === undefined) return;
    const found = this.#open.findLast((each) => ends.has(each.name) || within.has(each.name));
    if (found === undefined || !ends.has(found.name)) return;
    while (this.#open.at(-1) !== found) this.#pop();
    this.#pop();
  }

  /** An end tag ends what was opened by its name, and all in it; one too many ends nothing. */
  #end(name: string): void {
    if (!this.#isWithin(name)) return;
    while (this.#open.at(-1)?.name !== name) this.#pop();
    this.#pop();
  }

  #pop(): void {
    const element = this.#open.pop();
    if (element === undefined) return;
    const { name } = element;
    this.#counts.set(name, (this.#counts.get(name) ?? 1) - 1);
    if (name === 'pre' && this.#preformatted !== undefined && !this.#isWithin('pre')) {
      const text = this.#preformatted.join('');
      this.#preformatted = undefined;
      this.#writer.preformatted(text, this.#language);
    }
    if (element.isHidden || this.#preformatted !== undefined) return;
    if (name === 'table') this.#writer.endTable();
    else if (name === 'tr') this.#writer.endRow();
    else if (name === 'li' || name === 'blockquote') this.#writer.endContainer();
    else if (LISTS.has(name)) this.#writer.endList();
    else if (name === 'main' && this.#main?.to === undefined && this.#main !== undefined)
      this.#main.to = this.#writer.place;
    else if (BLOCKS.has(name)) this.#writer.endBlock();
  }

  #isWithin(name: string): boolean {
    return (this.#counts.get(name) ?? 0) > 0;
  }

  /** The absolute address of a link of the web or of mail; undefined for any other. */
  #address(href: string | undefined): string | undefined {
    if (href === undefined || !URL.canParse(href, this.#base)) return undefined;
    const url = new URL(href, this.#base);
    if (!['http:', 'https:', 'mailto:'].includes(url.protocol)) return undefined;
    return url.href.replaceAll('(', '%28').replaceAll(')', '%29');
  }
}

const isConcealed = (attributes: ReadonlyMap<string, string>): boolean =>
  attributes.has('hidden') ||
  attributes.get('aria-hidden')?.trim().toLowerCase() === 'true' ||
  HIDING.test(attributes.get('style') ?? '');

/** Styles by which a page hides a text from people. */
const HIDING =
  /(?:^|[;\s])(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0(?:\.0{1,9})?(?=[\s;!]|$)|font-size\s{0,9}:\s{0,9}0(?=[\s;!]|$|[a-z%]))/i;

const numberIn = (text = '1'): number => {
  const number = Number.parseInt(text, 10);
  return Number.isSafeInteger(number) ? number : 1;
};

const languageIn = (classes = ''): string => /(?:^|\s)lang(?:uage)?-([\w+#-]{1,20})/.exec(classes)?.[1] ?? '';
