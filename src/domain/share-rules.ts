// Rules about links: those of the service, and those of a space, which can only be stricter.

/** Who may make links; the strictest last. */
export const shareMakers = ['editors', 'managers'] as const;

export interface ShareRules {
  /** Whether there are links at all. */
  isOn: boolean;
  makers: (typeof shareMakers)[number];
  isPasswordRequired: boolean;
  /** How long a link can work at most. */
  maxDays: number;
}

/** Null: what the service says. */
export type SpaceShareRules = { [Name in keyof ShareRules]: ShareRules[Name] | null };

/** The stricter of both, rule by rule: the service may have become stricter than a space that was set earlier. */
export function toStricter(ofService: ShareRules, ofSpace: Partial<SpaceShareRules>): ShareRules {
  return {
    isOn: ofService.isOn && ofSpace.isOn !== false,
    makers: ofSpace.makers === 'managers' ? 'managers' : ofService.makers,
    isPasswordRequired: ofService.isPasswordRequired || ofSpace.isPasswordRequired === true,
    maxDays: Math.min(ofService.maxDays, ofSpace.maxDays ?? ofService.maxDays),
  };
}

/** The first rule that would be laxer than the service's; null: none. */
export function findLaxer(ofService: ShareRules, ofSpace: Partial<SpaceShareRules>): keyof ShareRules | null {
  const stricter = toStricter(ofService, ofSpace);
  const names = Object.keys(stricter) as (keyof ShareRules)[];
  return names.find((name) => (ofSpace[name] ?? stricter[name]) !== stricter[name]) ?? null;
}
