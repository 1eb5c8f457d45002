import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { extractHtml } from './html.ts';
import { extractText } from './text.ts';
import { maxTextChars } from './text-gatherer.ts';

const read = (html: string) => extractHtml(Buffer.from(html), null);

test('every named entity of HTML is decoded, in text and in attributes', () => {
  // As html.spec.whatwg.org/entities.json has them: a name and its code points.
  const lines = readFileSync(join(import.meta.dirname, 'html-entities-for-tests.txt'), 'utf8')
    .trim()
    .split('\n');
  assert.equal(lines.length, 2125);
  for (const line of lines) {
    const [name, ...codes] = line.split(' ') as [string, ...string[]];
    const characters = String.fromCodePoint(...codes.map((code) => Number.parseInt(code, 16)));
    const expected = extractText(Buffer.from(`a ${characters.replace(/\s+/g, ' ')} b`), null);
    assert.equal(read(`<p>a &${name}; b`), expected, name);
    assert.equal(read(`<img alt="a &${name}; b">`), expected, name);
  }
});

test('numeric entities are decoded as browsers do, and bad ones harm nothing', () => {
  assert.equal(read('&#8364;&#x20AC;&#X20ac;&#128512;&#x1F600;'), '€€€😀😀');
  assert.equal(read('a&#128;b&#151;c'), 'a€b—c', 'code points of windows-1252');
  assert.equal(read('caf&eacute &ampx &notanentity; &; &# &#; &#x; AT&T'), 'café &x ¬anentity; &; &# &#; &#x; AT&T');
  assert.equal(read('a&#0;b&#xD800;c&#x110000;d&#99999999999;e'), 'abcde', 'replacement characters are dropped');
});

test('broken markup gives its text', () => {
  for (const [html, text] of [
    ['<p>one<p>two<b>three</i></p></p>four', 'one\ntwothree\nfour'],
    ['3 < 4 <5 <> </> << end', '3 < 4 <5 <> << end'],
    ['<p class="a>b" title=\'>\'>x', 'x'],
    ['before<!-- never closed', 'before'],
    ['before<p title="never closed', 'before'],
    ['a<!-- x -- > y -->b<!>c<!doctype html>d<?php echo 1 ?>e', 'abcde'],
    ['<table><tr><td>1<td>2<tr><td>3</table>4', '1 2\n3\n4'],
    ['<title>A &amp; B</title><textarea><p>x</textarea>', 'A & B\n<p>x'],
    ['<?xml version="1.0"?><a>b<![CDATA[ < c ]]>d</a>', 'b < c d'],
    ['con<b>tract</b>s<br>line<hr>end', 'contracts\nline\nend'],
    ['</p></div>x</body></html>y', 'x\ny'],
  ] as const) {
    assert.equal(read(html), text, html);
  }
});

test('what a reader does not see is left out', () => {
  const secret = 'secret';
  for (const name of ['script', 'style', 'noscript', 'template', 'iframe', 'noembed', 'noframes']) {
    assert.equal(read(`a<${name}>${secret} a < b && c</${name}>b`).replace(/\s/g, ''), 'ab', name);
    assert.equal(read(`a<${name.toUpperCase()} x=1>${secret}</${name} >b`).replace(/\s/g, ''), 'ab', name);
    assert.equal(read(`a<${name}>${secret}`), 'a', `${name} never closed`);
  }
  for (const html of [
    `a<div hidden><div>${secret}</div><p>${secret}<p>${secret}</div>b`,
    `a<p hidden>${secret} <b>${secret}</b><div>b</div>`,
    `<ul><li>a<li hidden>${secret}<ul><li>${secret}</ul><li>b</ul>`,
    `<table><tr><td>a<td hidden>${secret}</table>b`,
    `a<span HIDDEN="">${secret}<img alt="${secret}"><br></span>b`,
    `a<template><div>${secret}<template>${secret}</template></div>${secret}</template>b`,
    `a<section hidden>${'<section>'.repeat(1000)}${secret}${'</section>'.repeat(1000)}${secret}</section>b`,
    `a<div hidden>${'<b>'.repeat(1000)}${secret}</div>b`,
    `a<input hidden value="${secret}"><!-- ${secret} -->b<p title="${secret}">`,
    '<p hidden="until-found">a</p>b',
  ]) {
    assert.equal(read(html).replace(/\s/g, ''), 'ab', html.slice(0, 100));
  }
});

test('deep nesting and floods of tags take no more than their length', () => {
  const count = 100_000;
  const floods = [
    '<div>',
    '</div>',
    '<p>',
    '<b hidden>',
    '<form>',
    '<svg>',
    '<a href="',
    '&',
    '&amp',
    '<!--',
    '<![CDATA[',
  ];
  for (const flood of [...floods, '<', '"', '<table>', '<li hidden>', '<template>', '</', '<!', '<script>']) {
    assert.equal(typeof read(`begin ${flood.repeat(count)} end`), 'string', flood);
  }
  assert.equal(read(`${'<div>'.repeat(count)}deep${'</div>'.repeat(count)} end`), 'deep\nend');
  assert.equal(read(`<p ${Array.from({ length: 50_000 }, (_, index) => `a${index}=x`).join(' ')}>x`), 'x');
});

test('no more text is gathered than is indexed', () => {
  assert.equal(read('<p>word '.repeat(400_000)).length <= maxTextChars, true);
  assert.equal(read('x'.repeat(3 * maxTextChars)).length, maxTextChars);
});

test('the encoding is that of the content type, a byte order mark, the page, or what the bytes look like', () => {
  const latin = Buffer.from('<p>\xfcber', 'latin1');
  assert.equal(extractHtml(latin, 'iso-8859-1'), 'über');
  assert.equal(extractHtml(latin, null), 'über');
  assert.equal(extractHtml(Buffer.from('\ufeff<p>über', 'utf16le'), 'utf-8'), 'über');
  assert.equal(extractHtml(Buffer.from('<p>über'), null), 'über');
  const cyrillic = Buffer.from([...Buffer.from('<meta charset="windows-1251"><p>'), 0xec, 0xe8, 0xf0]);
  assert.equal(extractHtml(cyrillic, null), 'мир');
  assert.equal(extractHtml(cyrillic, 'windows-1252'), 'ìèð');
  const http = '<meta http-equiv="Content-Type" content="text/html; charset=utf-8"><p>über';
  assert.equal(extractHtml(Buffer.from(http), null), 'über');
});
