// The package's main file warns on the console about every Node that is not (yet) a long-term release; the class itself
// stands in this one.
declare module 'oidc-provider/lib/provider.js' {
  export { default as Provider } from 'oidc-provider';
}

declare module 'oidc-provider/lib/helpers/errors.js' {
  import { errors } from 'oidc-provider';
  export const InvalidGrant: typeof errors.InvalidGrant;
  export const InvalidScope: typeof errors.InvalidScope;
  export const InvalidTarget: typeof errors.InvalidTarget;
  export const SessionNotFound: typeof errors.SessionNotFound;
  export const UnauthorizedClient: typeof errors.UnauthorizedClient;
}

declare module 'oidc-provider/lib/helpers/interaction_policy/index.js' {
  import { interactionPolicy } from 'oidc-provider';
  export const Check: typeof interactionPolicy.Check;
  export const base: typeof interactionPolicy.base;
  export const Prompt: typeof interactionPolicy.Prompt;
}
