import { describe, expect, test } from 'vitest';
import { htmlToMarkdown } from '../../../src/tools/built-in/web/html/html-to-markdown.ts';
import { processorTime } from '../../support/processor-time.ts';

const BASE = 'https://shop.example/tea/';
const markdownOf = (html: string): string => htmlToMarkdown(html, BASE).markdown;

describe('HTML is Markdown', () => {
  test.each([
    ['headings', '<h1>Tea</h1><h2>Green <b>tea</b></h2>', '# Tea\n\n## Green **tea**'],
    ['paragraphs that nobody ends', '<p>One\n two<p>three', 'One two\n\nthree'],
    ['line breaks', '<p>One<br>two</p>', 'One\ntwo'],
    ['emphasis, which stands at words', '<p>a<b> bold </b>and<em> thin</em>', 'a **bold** and *thin*'],
    [
      'links, by the address of the page',
      '<a href="all?x=1&amp;y=2">all</a>',
      '[all](https://shop.example/tea/all?x=1&y=2)',
    ],
    [
      'links around blocks',
      '<a href="/c"><h3>Cup</h3><p>A cup</p></a>',
      '### [Cup](https://shop.example/c)\n\n[A cup](https://shop.example/c)',
    ],
    [
      'links by the base of the page',
      '<base href="https://b.example/"><a href="x">x</a>',
      '[x](https://b.example/x)',
    ],
    ['addresses with brackets', '<a href="/a_(b)">[x]</a>', '[\\[x\\]](https://shop.example/a_%28b%29)'],
    ['lists', '<ul><li>a<li>b<ol start=3><li>c</li><li>d</ol></ul><p>e', '- a\n- b\n  3. c\n  4. d\n\ne'],
    ['items of several paragraphs', '<ol><li><p>a</p><p>b</p></ol>', '1. a\n\n   b'],
    ['quotations', '<blockquote>a<blockquote>b</blockquote></blockquote>', '> a\n>\n> > b'],
    ['code', '<p>by <code>a`b</code>', 'by `` a`b ``'],
    [
      'programs, as they are',
      '<pre><code class="language-ts">\nif (a &lt; 1)\n  b();\n</code></pre>',
      '```ts\nif (a < 1)\n  b();\n```',
    ],
    ['fences in programs', '<pre>```\n</pre>', '````\n```\n````'],
    [
      'tables',
      '<table><tr><th>Item<th>Price<tr><td>a|b<td><p>3</p></table>',
      '| Item | Price |\n| --- | --- |\n| a\\|b | 3 |',
    ],
    [
      'tables that arrange a page',
      '<table><tr><td>menu<td><table><tr><td>1<td>2</table>text</table>',
      'menu\n\n| 1 | 2 |\n| --- | --- |\n\ntext',
    ],
    ['pictures by their text', '<img src=a.png alt="A cup">', 'A cup'],
    [
      'characters by name and number',
      '&euro;&Auml;&omega;&#8212;&#x1F600;&#150;&#xD800;&nope;',
      '€Äω—😀–\uFFFD&nope;',
    ],
    ['what is no tag', '1 < 2 <3> & 4 &', '1 < 2 <3> & 4 &'],
  ])('%s', (_, html, markdown) => {
    expect(markdownOf(html)).toBe(markdown);
  });

  test('the title is that of the page, and its main part is told from the rest', () => {
    const html =
      '<head><title>Tea &amp;\n more</title><body><svg><title>logo</title></svg><nav>menu</nav><main><p>text</main><footer>end</footer>';
    expect(htmlToMarkdown(html, BASE)).toEqual({
      title: 'Tea & more',
      markdown: 'menu\n\ntext\n\nend',
      main: 'text',
    });
  });
});

describe('what people do not see is not there', () => {
  test.each([
    ['scripts', '<script>if (a</b) "</p>evil"</script>'],
    ['scripts that nobody ends', '<script>evil</scrip>'],
    ['styles', '<style>evil{}</STYLE >'],
    ['comments', '<!-- evil > evil -->'],
    ['comments that nobody ends', '<!-- evil'],
    ['declarations', '<!DOCTYPE evil><?evil ?><![CDATA[ <p>evil ]]>'],
    ['tags that nobody ends', '<p title="evil > evil'],
    ['texts for who has no scripts', '<noscript><p>evil</noscript>'],
    ['templates', '<template><p>evil</template>'],
    ['forms', '<select><option>evil</select><textarea>evil</textarea><button>evil</button>'],
    ['drawings', '<svg><text>evil</text></svg>'],
    ['hidden elements', '<div hidden><p>evil<div>evil</div></div>'],
    ['hidden items that nobody ends', '<ul><li hidden>evil<li></ul>'],
    ['hidden paragraphs that a block ends', '<p hidden>evil<div></div>'],
    ['elements that are hidden from readers', '<b aria-hidden=TRUE>evil</b>'],
    ['elements without display', '<b style="color:red; DISPLAY : none !important">evil</b>'],
    [
      'elements out of sight',
      '<b style="visibility:hidden">evil</b><b style="opacity: 0.0">evil</b><b style="font-size:0px">evil</b>',
    ],
    ['hidden elements below the deepest that counts', `${'<b>'.repeat(600)}<i hidden>evil`],
    ['an end that is none', '<div hidden></p></b>evil</div>'],
    ['a head', '<head><meta content=evil><script>evil</script><title></title>'],
  ])('%s', (_, html) => {
    const { markdown } = htmlToMarkdown(`<p>good ${html}`, BASE);
    expect(markdown).not.toContain('evil');
    expect(markdown).toContain('good');
  });

  test.each(['javascript:evil()', ' java\nscript:evil()', 'data:text/html,evil', 'file:///evil', 'http://['])(
    'the link %j is its text',
    (href) => {
      expect(markdownOf(`<a href="${href}">text</a>`)).toBe('text');
    },
  );

  test('what is seen stays: an opacity of 0.5, a size of 0.9em, an open head', () => {
    expect(markdownOf('<head><b style="opacity:0.5">a</b><b style="font-size:0.9em">b</b>')).toBe('**ab**');
  });
});

/** Each as large as it is told. */
const hostile: Readonly<Record<string, (size: number) => string>> = {
  'open elements': (size) => '<div>'.repeat(size),
  'elements within each other': (size) => `${'<b>'.repeat(size)}x${'</b>'.repeat(size)}`,
  'lists within each other': (size) => '<ul><li>x'.repeat(size),
  'items below many elements': (size) => `<ul>${'<b>'.repeat(600)}${'<li></li>'.repeat(size)}`,
  'lines in deep lists': (size) => '<ul><li>'.repeat(300) + 'x<br>'.repeat(size),
  quotations: (size) => '<blockquote>x'.repeat(size),
  'tables within each other': (size) => '<table><tr><td>x'.repeat(size),
  'paragraphs in a cell': (size) => `<table><tr><td>${'<p>x'.repeat(size)}`,
  comments: (size) => '<!--'.repeat(size),
  declarations: (size) => '<!'.repeat(size),
  'lone brackets': (size) => '<'.repeat(size),
  ends: (size) => '</p>'.repeat(size),
  attributes: (size) => `<a ${'b="'.repeat(size)}`,
  'attributes of one element': (size) => `<a ${'b=c '.repeat(size)}`,
  styles: (size) => `<p style="${'display: '.repeat(size)}">x`,
  spaces: (size) => `<p>${' \n'.repeat(size)}x${'\t'.repeat(size)}`,
  ampersands: (size) => '&a'.repeat(size),
  backticks: (size) => `<code>${'`'.repeat(size)}`,
  titles: (size) => '<svg><title>x</title>'.repeat(size),
};

/** The least that a page costs, in ms of the processor, in five times or until it is low enough: what else a machine does only adds to it. */
const costOf = (html: string, enough = 0): number => {
  let least = Infinity;
  for (let time = 0; time < 5 && least > enough; time += 1)
    least = Math.min(
      least,
      processorTime(() => markdownOf(html)),
    );
  return least;
};

describe('a hostile page takes no more time and room than it has text', () => {
  test.each(Object.entries(hostile))('%s', (_, make) => {
    const [small, large] = [make(2_000), make(8_000)];
    // Four times as long: twice that for the noise, where what is quadratic takes sixteen times as long.
    const enough = 8 * costOf(small) + 50;
    expect(costOf(large, enough)).toBeLessThanOrEqual(enough);
    expect(markdownOf(large).length).toBeLessThan(6 * large.length);
  });
});
