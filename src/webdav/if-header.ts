// The header `If` (RFC 4918, section 10.4): lists of conditions, each about the resource of the request or about another one.

import { DavRefusal } from './dav-refusal.ts';

export type Condition = { isNegated: boolean } & ({ token: string } | { etag: string });

export interface ConditionList {
  /** The address of another resource; null: that of the request. */
  resource: string | null;
  conditions: Condition[];
}

const pieces =
  /[ \t]*(?:<(?<url>[^<>]*)>|(?<open>\()|(?<close>\))|(?<not>not\b)|\[[ \t]*(?<etag>(?:W\/)?"[^"]*")[ \t]*\])[ \t]*/giy;

export function parseIf(header: string): ConditionList[] {
  const lists: ConditionList[] = [];
  let resource: string | null = null;
  let hasList = true;
  let current: Condition[] | null = null;
  let isNegated = false;
  pieces.lastIndex = 0;
  while (pieces.lastIndex < header.length) {
    const groups = pieces.exec(header)?.groups;
    if (groups === undefined) throw malformedIf();
    const { url, open, close, not, etag } = groups;
    if (current === null) {
      if (url !== undefined && hasList) {
        resource = url;
        hasList = false;
      } else if (open !== undefined) current = [];
      else throw malformedIf();
    } else if (not !== undefined && !isNegated) isNegated = true;
    else if (url !== undefined || etag !== undefined) {
      current.push(url !== undefined ? { isNegated, token: url } : { isNegated, etag: etag ?? '' });
      isNegated = false;
    } else if (close !== undefined && current.length > 0 && !isNegated) {
      lists.push({ resource, conditions: current });
      hasList = true;
      current = null;
    } else throw malformedIf();
  }
  if (current !== null || !hasList || lists.length === 0) throw malformedIf();
  return lists;
}

function malformedIf(): DavRefusal {
  return new DavRefusal(400, 'The header If is malformed (RFC 4918, section 10.4).');
}

/** The tokens that the client shows. */
export function tokensOf(lists: readonly ConditionList[]): string[] {
  return lists.flatMap(({ conditions }) => conditions.flatMap((one) => ('token' in one ? [one.token] : [])));
}

/** The state of a resource, as conditions are compared with it. */
export interface ConditionState {
  etag: string | null;
  tokens: readonly string[];
}

export function isFulfilled({ conditions }: ConditionList, { etag, tokens }: ConditionState): boolean {
  return conditions.every((one) => {
    // Weak tags never match: the comparison is strong.
    const isTrue = 'token' in one ? tokens.includes(one.token) : one.etag === etag;
    return isTrue !== one.isNegated;
  });
}
