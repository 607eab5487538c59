// push-interface.md §7: the gateway's error codes with their HTTP statuses and messages, and the two bodies an error may have.

/** Every error the interface answers with. `conflict` and `forbidden` are fixed by push-decisions.md, "Gateway". */
export const PUSH_ERRORS = {
  badRequest: { status: 400, errorCode: '100', message: 'Bad Request Exception' },
  authenticationFailed: { status: 401, errorCode: '200', message: 'Authentication Failed' },
  permissionDenied: { status: 401, errorCode: '210', message: 'Permission Denied' },
  forbidden: { status: 403, errorCode: '210', message: 'Permission Denied' },
  notFound: { status: 404, errorCode: '300', message: 'Not Found Exception' },
  conflict: { status: 409, errorCode: '409', message: 'Conflict' },
  quotaExceeded: { status: 429, errorCode: '400', message: 'Quota Exceeded' },
  throttleLimited: { status: 429, errorCode: '410', message: 'Throttle Limited' },
  rateLimited: { status: 429, errorCode: '420', message: 'Rate Limited' },
  requestEntityTooLarge: { status: 413, errorCode: '430', message: 'Request Entity Too Large' },
  endpointError: { status: 503, errorCode: '500', message: 'Endpoint Error' },
  endpointTimeout: { status: 504, errorCode: '510', message: 'Endpoint Timeout' },
  unexpected: { status: 500, errorCode: '900', message: 'Unexpected Error' },
} as const satisfies Record<string, { status: number; errorCode: string; message: string }>;

export type PushErrorName = keyof typeof PUSH_ERRORS;

/** push-interface.md §7: the JSON body of every error. */
export interface PushErrorBody {
  error: { errorCode: string; message: string };
}

/** push-interface.md §7: codes of the platform's XML form, `responseError`. A bad signature gets the gateway's form. */
export const RESPONSE_ERROR_CODES = { missingField: '900' } as const;
