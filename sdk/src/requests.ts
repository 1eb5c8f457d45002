// `@cabinet/client/requests`, for Cabinet's own programs: any operation of the description by its name, where no function of the
// client fits. Not part of the public interface.

export { callPage } from './pages.ts';
export { call, send } from './request.ts';
export { requestToken } from './tokens.ts';
