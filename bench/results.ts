// A file of results in which each scenario has its own section, headed `## <scenario>`: a new run replaces its section and keeps
// the others.

import { existsSync, readFileSync } from 'node:fs';

/** The file's whole text with the section in it. */
export function writeSection(file: string, scenario: string, markdown: string): string {
  return replaceSection(existsSync(file) ? readFileSync(file, 'utf8') : '', scenario, markdown);
}

export function replaceSection(text: string, scenario: string, markdown: string): string {
  const heading = `## ${scenario}`;
  const section = `${heading}\n\n${markdown.trim()}\n`;
  const parts = text.split(/^(?=## )/m).filter((part) => part.trim() !== '');
  const at = parts.findIndex((part) => part.split('\n', 1)[0] === heading);
  if (at < 0) parts.push(section);
  else parts[at] = section;
  return `${parts.map((part) => part.trim()).join('\n\n')}\n`;
}
