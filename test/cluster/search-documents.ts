// Documents, and questions about them with the least number of them that each finds: names, properties, phrases,
// beginnings, scripts of all kinds, long texts, and what tries to be syntax.

interface Document {
  name: string;
  properties: Record<string, string> | null;
  text: string;
}

const usual = 'the of and to in report invoice contract customer order'.split(' ');

/** The same numbers in every run. */
function makeRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return Math.floor((state / 0x80000000) * below);
  };
}

const random = makeRandom(7);
const pick = (words: readonly string[]) => words[random(words.length)] as string;
const makeText = (length: number) => Array.from({ length }, () => `${pick(usual)}${random(4) === 0 ? '' : random(30)}`);

/** The first ones are in many, the last one at the end of long texts only. */
function makeGenerated(index: number): Document {
  const words = makeText(5 + random(120));
  if (index % 2 === 0) words.splice(random(words.length), 0, 'everywhere');
  if (index % 50 === 7) words.push('needle', 'in', 'haystack');
  if (index % 50 === 9) words.push('haystack', 'in', 'needle');
  const properties = index % 5 === 0 ? { Customer: `Acme ${pick(usual)}`, Number: String(index) } : null;
  return { name: `${pick(usual)} ${index}.txt`, properties, text: words.join(index % 7 === 0 ? '\n' : ' ') };
}

/** 的 is in it more often than a vector has places for a word, and so is `the`. */
const longChinese = `${'我们的世界是美丽的，'.repeat(2000)}${'这是一个关于北京的故事。'.repeat(20)}`;
const longEnglish = `${'the cat sat on the mat '.repeat(6000)} then the very last sentence of the whole book`;
const manyWords = Array.from({ length: 30_000 }, (_, index) => `unique${index}`).join(' ');

const special: Document[] = [
  { name: 'Über Straße.txt', properties: null, text: 'Ünïcode naïve café ÉCOLE Łódź' },
  { name: '北京故事.txt', properties: { 城市: '北京' }, text: longChinese },
  { name: '東京.txt', properties: null, text: 'コーヒーを飲む東京の朝 東西京' },
  { name: 'Привет мир.txt', properties: null, text: 'Съешь же ещё этих мягких французских булок' },
  { name: 'λόγος.txt', properties: null, text: 'Ἐν ἀρχῇ ἦν ὁ λόγος' },
  { name: 'שלום.txt', properties: null, text: 'שלום עולם' },
  { name: 'मुंबई.txt', properties: null, text: 'नमस्ते दुनिया' },
  { name: '한국어.txt', properties: null, text: '안녕하세요 세계' },
  { name: 'emoji 😀.txt', properties: null, text: 'smile 😀 more 𝒳 𝟙' },
  {
    name: `it's "quoted" \\ back.txt`,
    properties: null,
    text: `'; DROP TABLE search_documents; -- a:*b & !c | (d) <-> e`,
  },
  { name: 'book.txt', properties: null, text: longEnglish },
  { name: 'list.txt', properties: null, text: manyWords },
  {
    name: 'wall.txt',
    properties: null,
    text: `${'x'.repeat(5000)} wi-fi e.g. a_b 3.14 ${'repeated '.repeat(3000)}end`,
  },
  { name: 'one two three.txt', properties: { one: 'four' }, text: 'five three two one' },
  { name: 'empty.txt', properties: null, text: '' },
];

export const documents: Document[] = [
  ...Array.from({ length: 150 }, (_, index) => makeGenerated(index)),
  ...special,
  ...Array.from({ length: 150 }, (_, index) => makeGenerated(150 + index)),
];

export const questions: [q: string, least: number][] = [
  ['everywhere', 150],
  ['the', 100],
  ['The OF and', 50],
  ['needle', 12],
  ['"needle in haystack"', 6],
  ['"haystack in needle"', 6],
  ['"needle haystack"', 0],
  ['"in haystack" needle', 6],
  ['invoice txt', 20],
  ['inv*', 50],
  ['invoice1*', 30],
  ['"the inv"*', 5],
  ['acme', 60],
  ['customer acme', 60],
  ['"customer acme"', 60],
  ['acme contract everywhere', 1],
  ['uber', 1],
  ['ÜBER strasse', 0],
  ['straße', 1],
  ['unicode NAIVE cafe ecole', 1],
  ['Łódź', 1],
  ['北京', 1],
  ['京北', 0],
  ['关于北京的故事', 1],
  ['美丽的，我们的世界', 1],
  ['コーヒー', 1],
  ['東京', 1],
  ['東西', 1],
  ['привет', 1],
  ['булок', 1],
  ['французск*', 1],
  ['λόγος', 1],
  ['שלום', 1],
  ['안녕하세요', 1],
  ['smile', 1],
  ["it's", 1],
  ['"quoted back"', 1],
  ["'; DROP TABLE search_documents; --", 1],
  ['a:*b & !c | (d) <-> e', 1],
  ["x'); --", 0],
  ['"very last sentence of the whole book"', 1],
  ['"the mat the cat sat on the mat"', 1],
  ['"mat then the very"', 1],
  ['"mat on"', 0],
  ['unique29999', 1],
  ['"unique16382 unique16383 unique16384"', 1],
  ['"unique15999 unique16000 unique16001 unique16002"', 1],
  ['"unique29998 unique29997"', 0],
  ['unique2999*', 1],
  ['"repeated end"', 1],
  ['"repeated repeated repeated end"', 1],
  ['"end repeated"', 0],
  ['wi-fi', 1],
  ['"wi fi"', 1],
  ['a_b', 1],
  ['3.14', 1],
  [`${'x'.repeat(490)}*`, 1],
  ['x'.repeat(490), 0],
  ['"one two"', 1],
  ['"two one"', 1],
  ['"three txt one"', 0],
  ['"txt one four"', 0],
  ['one four five', 1],
  ['empty', 1],
  ['nothingofthekind', 0],
];
