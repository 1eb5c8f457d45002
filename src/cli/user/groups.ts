// The commands that people use over HTTP. A file is loaded when its command runs.

import type { CommandGroups } from '../program.ts';

/** In the groups of the help. */
export const userGroups: CommandGroups = {
  'Sign in:': {
    login: async () => (await import('./login.ts')).registerLogin,
    logout: async () => (await import('./logout.ts')).registerLogout,
    whoami: async () => (await import('./whoami.ts')).registerWhoami,
    profiles: async () => (await import('./profile-list.ts')).registerProfiles,
    'app-password': async () => (await import('./app-password.ts')).registerAppPassword,
  },
  'Upload and download:': {
    put: async () => (await import('./put.ts')).registerPut,
    get: async () => (await import('./get.ts')).registerGet,
    cat: async () => (await import('./cat.ts')).registerCat,
    sync: async () => (await import('./sync.ts')).registerSync,
  },
  'Files and folders:': {
    ls: async () => (await import('./ls.ts')).registerLs,
    tree: async () => (await import('./tree.ts')).registerTree,
    du: async () => (await import('./du.ts')).registerDu,
    search: async () => (await import('./search.ts')).registerSearch,
    mkdir: async () => (await import('./mkdir.ts')).registerMkdir,
    mv: async () => (await import('./mv.ts')).registerMv,
    cp: async () => (await import('./cp.ts')).registerCp,
    rm: async () => (await import('./rm.ts')).registerRm,
    undelete: async () => (await import('./undelete.ts')).registerUndelete,
    versions: async () => (await import('./versions.ts')).registerVersions,
    open: async () => (await import('./open.ts')).registerOpen,
    watch: async () => (await import('./watch.ts')).registerWatch,
  },
  'Share:': {
    share: async () => (await import('./share.ts')).registerShare,
    access: async () => (await import('./access.ts')).registerAccess,
    link: async () => (await import('./link.ts')).registerLink,
    webhook: async () => (await import('./webhook.ts')).registerWebhook,
  },
  'Tools:': {
    mcp: async () => (await import('./mcp.ts')).registerMcp,
    completion: async () => (await import('./completion.ts')).registerCompletion,
  },
};
