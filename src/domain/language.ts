// The language of pages for people: the one that the browser prefers.

/** RFC 9110, section 12.5.4: of the known languages the one that is wanted most, else the first. */
export function chooseLanguage<Words extends { readonly language: string }>(
  acceptLanguage: string | undefined,
  known: readonly [Words, ...Words[]],
): Words {
  const wanted = (acceptLanguage ?? '').split(',').map((one) => {
    const [range = '', weight = '1'] = one.split(/;\s*q=/i);
    return { language: range.trim().split('-')[0]?.toLowerCase(), weight: Number(weight) || 0 };
  });
  const choices = wanted
    .flatMap(({ language, weight }) => {
      const words = known.find((one) => one.language === language);
      return words === undefined || weight === 0 ? [] : [{ words, weight }];
    })
    .sort((a, b) => b.weight - a.weight);
  return choices[0]?.words ?? known[0];
}
