// The two environments of a service. They share a process and nothing else.

export const environmentNames = ['production', 'test'] as const;
export type EnvironmentName = (typeof environmentNames)[number];
